/** Modules that Python brings to cards as text: what only some cards need is in no card's bundle. */

/** A browser keeps every module that it has loaded: each is loaded once a page, as in saved pages. */
export function loaded<Module>(source: string): Promise<Module> {
  const key = Symbol.for("shardwidget front ends");
  const page = window as unknown as Record<symbol, Map<string, Promise<unknown>> | undefined>;
  page[key] ??= new Map();
  const modules = page[key];
  let module = modules.get(source);
  if (!module) {
    const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    module = import(/* @vite-ignore */ address).finally(() => URL.revokeObjectURL(address));
    modules.set(source, module);
  }
  return module as Promise<Module>;
}
