declare module "events/events.js" {
  export class EventEmitter {
    on(name: string, listener: (...values: unknown[]) => void): this;
    emit(name: string, ...values: readonly unknown[]): boolean;
  }
}
