/** The part of an anywidget model that this front end uses. The saved page brings its own. */
export interface WidgetModel {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
  save_changes(): void;
  on(event: string, callback: () => void): void;
  off(event: string, callback: () => void): void;
}
