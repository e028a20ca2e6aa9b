/** A message between the shim in a page and the test, as JSON. */
export type ShimLetter =
  | { readonly kind: 'send'; readonly channel: string; readonly args: readonly unknown[] }
  | {
      readonly kind: 'post';
      readonly channel: string;
      readonly args: readonly unknown[];
      readonly ports: readonly string[];
    }
  | {
      readonly kind: 'invoke';
      readonly id: number;
      readonly channel: string;
      readonly args: readonly unknown[];
    }
  | { readonly kind: 'port'; readonly port: string; readonly data: Packed }
  | { readonly kind: 'closed'; readonly port: string };

export type ShimAnswer =
  | {
      readonly kind: 'message';
      readonly channel: string;
      readonly args: readonly unknown[];
      readonly ports: readonly string[];
    }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'fault'; readonly id: number; readonly fault: string }
  | { readonly kind: 'port'; readonly port: string; readonly data: Packed }
  | { readonly kind: 'closed'; readonly port: string };

/** Bytes as base64, anything else as it is. */
export type Packed = { readonly bytes: string } | { readonly value: unknown };

/** The names that the page's worlds and the test share. */
export interface ShimNames {
  /** The way out, a binding of the preload's world alone. */
  readonly binding: string;
  /** The way in, a function of the preload's world alone. */
  readonly receive: string;
  /** The event by which values are handed to the page's own world. */
  readonly expose: string;
}

// All below runs in a page, from its source text: it may use nothing but itself and what is named beside it in `shimSource`.

interface Boot extends ShimNames {
  readonly platform: string;
}

type Send = (letter: object) => void;
type Listener = (event: object, ...args: readonly unknown[]) => void;

function pack(data: unknown): Packed {
  const bytes = data instanceof ArrayBuffer ? new Uint8Array(data) : data;
  if (!(bytes instanceof Uint8Array)) return { value: data };
  let text = '';
  for (const byte of bytes) text += String.fromCodePoint(byte);
  return { bytes: btoa(text) };
}

function unpack(packed: Packed): unknown {
  if (!('bytes' in packed)) return packed.value;
  return Uint8Array.from(atob(packed.bytes), (letter) => letter.codePointAt(0) ?? 0);
}

/** The ports that this page shares with the main process. */
function openPorts(send: Send) {
  const ports = new Map<string, MessagePort>();
  // Names of an earlier document of this page are not given again.
  const mark = Math.random().toString(36).slice(2);
  const adopt = (name: string, port: MessagePort): void => {
    ports.set(name, port);
    port.addEventListener('message', ({ data }) => {
      send({ kind: 'port', port: name, data: pack(data) });
    });
    port.addEventListener('close', () => {
      if (ports.delete(name)) send({ kind: 'closed', port: name });
    });
    port.start();
  };
  return {
    depart(port: MessagePort): string {
      const name = `p${mark}${ports.size}-${performance.now()}`;
      adopt(name, port);
      return name;
    },
    arrive(name: string): MessagePort {
      const { port1, port2 } = new MessageChannel();
      adopt(name, port1);
      return port2;
    },
    post(name: string, data: Packed): void {
      ports.get(name)?.postMessage(unpack(data));
    },
    close(name: string): void {
      const port = ports.get(name);
      ports.delete(name);
      port?.close();
    },
  };
}

/** Creates the `ipcRenderer` of a preload, and the function that receives messages for it. */
function openIpc(send: Send) {
  const ports = openPorts(send);
  const asked = new Map<number, PromiseWithResolvers<unknown>>();
  const listeners = new Map<string, Set<Listener>>();
  const ipcRenderer = {
    send: (channel: string, ...args: readonly unknown[]) => send({ kind: 'send', channel, args }),
    postMessage(channel: string, message: unknown, transfer: readonly MessagePort[] = []) {
      const names = transfer.map((port) => ports.depart(port));
      send({ kind: 'post', channel, args: [message], ports: names });
    },
    invoke(channel: string, ...args: readonly unknown[]): Promise<unknown> {
      const asking = Promise.withResolvers<unknown>();
      const id = performance.now() + Math.random();
      asked.set(id, asking);
      send({ kind: 'invoke', id, channel, args });
      return asking.promise;
    },
    on(channel: string, listener: Listener) {
      listeners.set(channel, (listeners.get(channel) ?? new Set()).add(listener));
      return ipcRenderer;
    },
    removeListener(channel: string, listener: Listener) {
      listeners.get(channel)?.delete(listener);
      return ipcRenderer;
    },
  };
  const receive = (answer: ShimAnswer): void => {
    switch (answer.kind) {
      case 'message': {
        const event = {
          sender: ipcRenderer,
          ports: answer.ports.map((name) => ports.arrive(name)),
        };
        for (const listener of listeners.get(answer.channel) ?? []) listener(event, ...answer.args);
        return;
      }
      case 'answer':
        asked.get(answer.id)?.resolve(answer.answer);
        asked.delete(answer.id);
        return;
      case 'fault':
        asked.get(answer.id)?.reject(new Error(`Error invoking remote method: ${answer.fault}`));
        asked.delete(answer.id);
        return;
      case 'port':
        ports.post(answer.port, answer.data);
        return;
      case 'closed':
        ports.close(answer.port);
    }
  };
  return { ipcRenderer, receive };
}

function strict<T extends object>(name: string, module: T): T {
  return new Proxy(module, {
    get(target, member) {
      if (member in target) return Reflect.get(target, member);
      throw new Error(`${name}.${String(member)} is not mocked.`);
    },
  });
}

/** Electron's `require` of a sandboxed preload. */
function openRequire({ binding, receive: entry, expose, platform }: Boot): (id: string) => unknown {
  const { ipcRenderer, receive } = openIpc((letter) =>
    Reflect.get(globalThis, binding)(JSON.stringify(letter)),
  );
  Object.assign(globalThis, {
    [entry]: receive,
    process: { platform, type: 'renderer', sandboxed: true, contextIsolated: true },
  });
  const contextBridge = {
    exposeInMainWorld(key: string, value: unknown) {
      // The page gets a copy, so that no object of this world leaks.
      const detail = JSON.stringify({ key, value });
      window.dispatchEvent(new CustomEvent(expose, { detail }));
    },
  };
  const electron = strict('electron', {
    ipcRenderer: strict('ipcRenderer', ipcRenderer),
    contextBridge: strict('contextBridge', contextBridge),
  });
  return (id) => {
    if (id === 'electron') return electron;
    throw new Error(`module not found: ${id}`);
  };
}

/** Exposes the preload's objects in the page's own world, before any script of the page runs. */
function openExposure(expose: string): void {
  const freeze = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const inner of Object.values(value)) freeze(inner);
    Object.freeze(value);
  };
  window.addEventListener(expose, (event) => {
    if (!(event instanceof CustomEvent)) return;
    const { key, value }: { key: string; value: unknown } = JSON.parse(String(event.detail));
    freeze(value);
    Object.defineProperty(window, key, { value, enumerable: true });
  });
}

/** The script of the preload's world: the preload with what it may require. */
export function preloadScript(preload: string, boot: Boot): string {
  const parts = [pack, unpack, openPorts, openIpc, strict, openRequire].map(String).join('\n');
  return onTop(`${parts}
((require, exports, module) => {${preload}
})(openRequire(${JSON.stringify(boot)}), {}, { exports: {} });`);
}

/** The script of the page's own world. */
export function exposureScript(expose: string): string {
  return onTop(`(${String(openExposure)})(${JSON.stringify(expose)});`);
}

/** A preload runs in the top frame only. */
function onTop(script: string): string {
  return `if (window === window.top) (() => {${script}\n})();`;
}
