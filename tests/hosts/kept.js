// Runs before a page's own scripts and keeps count of what a widget's code holds on to. Notebooks import a widget from a
// blob: address, so the call stack says whose call it is.
(() => {
  const listeners = new Set();
  const observers = new Set();
  let frames = 0;
  const ours = () => new Error().stack.includes("blob:");

  const { addEventListener, removeEventListener } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = function (type, callback, options) {
    if (ours() && this && callback) {
      // Weak, so that counting keeps nothing alive.
      const entry = { target: new WeakRef(this), type, callback: new WeakRef(callback) };
      listeners.add(entry);
      // The original: this listener of ours is not the widget's.
      if (options?.signal) addEventListener.call(options.signal, "abort", () => listeners.delete(entry));
    }
    return addEventListener.call(this, type, callback, options);
  };
  EventTarget.prototype.removeEventListener = function (type, callback, options) {
    for (const entry of listeners) {
      if (entry.target.deref() !== this || entry.type !== type || entry.callback.deref() !== callback) continue;
      listeners.delete(entry);
    }
    return removeEventListener.call(this, type, callback, options);
  };

  for (const name of ["ResizeObserver", "MutationObserver", "IntersectionObserver"]) {
    const Native = window[name];
    window[name] = class extends Native {
      constructor(callback, options) {
        super(callback, options);
        this.ours = ours();
      }
      observe(...args) {
        if (this.ours) observers.add(this);
        return super.observe(...args);
      }
      disconnect() {
        observers.delete(this);
        return super.disconnect();
      }
    };
  }

  const request = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) => {
    if (ours()) frames += 1;
    return request(callback);
  };

  // Listeners on elements that have left the page go with them.
  const lasting = (entry) => {
    const target = entry.target.deref();
    return target && (!(target instanceof Node) || target.isConnected);
  };
  window.kept = () => ({ listeners: [...listeners].filter(lasting).length, observers: observers.size });
  window.framesAsked = () => frames;
})();
