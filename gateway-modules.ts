/** A folder of the gateway, as the linter sees it. */
export interface GatewayModule {
  /** Files that others may import; unless given, the one that is called like the module. `*` for all. */
  readonly entries?: readonly string[];
  readonly mayImport: readonly string[];
  /** Files beside the modules that it may import besides `host`, `platform` and `errors`. */
  readonly root?: readonly string[];
}

/** The modules of the gateway, lowest first: a module imports only from those that it names, and only their entry files. */
export const GATEWAY_MODULES: Record<string, GatewayModule> = {
  lib: { entries: ['*'], mayImport: [] },
  http: { entries: ['*'], mayImport: ['lib'] },
  keys: { entries: ['keys', 'key-mask', 'redact', 'service-credentials'], mayImport: ['lib'] },
  store: { entries: ['store', 'trusted-clock'], mayImport: ['lib', 'keys'] },
  settings: { mayImport: ['lib', 'store'] },
  images: { mayImport: ['lib'] },
  usage: { mayImport: ['lib', 'http'] },
  prices: { entries: ['prices', 'price-files'], mayImport: ['lib', 'store'] },
  'spend-limits': { mayImport: ['lib', 'store'] },
  history: {
    entries: ['history', 'exchange-ids'],
    mayImport: ['lib', 'store', 'keys', 'spend-limits'],
  },
  reconcile: {
    entries: ['reconcile', 'usage-exports'],
    mayImport: ['lib', 'store', 'history'],
  },
  models: { mayImport: ['lib', 'store'] },
  clients: { entries: ['clients', 'local-key'], mayImport: ['lib', 'store'] },
  aliases: { mayImport: ['lib', 'store'] },
  connect: { mayImport: ['lib', 'clients'] },
  bodies: { mayImport: ['lib', 'http', 'keys', 'clients'] },
  runaway: { mayImport: ['lib', 'bodies'] },
  export: { mayImport: ['lib', 'history'] },
  'service-limit': {
    entries: ['service-limit', 'service-limits', 'limit-problems'],
    mayImport: ['lib', 'http'],
  },
  holds: { mayImport: ['lib', 'service-limit'] },
  proxy: {
    mayImport: [
      'holds',
      'lib',
      'http',
      'keys',
      'store',
      'clients',
      'usage',
      'history',
      'bodies',
      'runaway',
      'models',
      'aliases',
      'prices',
      'service-limit',
      'spend-limits',
    ],
  },
  upstreams: {
    entries: ['*'],
    mayImport: ['lib', 'http', 'keys', 'store', 'models', 'service-limit', 'proxy'],
  },
  videos: {
    mayImport: [
      'lib',
      'http',
      'keys',
      'store',
      'images',
      'history',
      'prices',
      'spend-limits',
      'proxy',
      'upstreams',
    ],
  },
  chat: { mayImport: ['lib', 'store', 'images', 'history'] },
  backup: { mayImport: ['lib', 'store'] },
  doctor: {
    mayImport: ['lib', 'keys', 'store', 'settings', 'history', 'clients', 'connect', 'backup'],
  },
  engine: {
    entries: ['*'],
    root: ['repositories'],
    mayImport: [
      'lib',
      'keys',
      'store',
      'settings',
      'history',
      'reconcile',
      'bodies',
      'runaway',
      'holds',
      'export',
      'service-limit',
      'proxy',
      'upstreams',
      'videos',
      'chat',
      'clients',
      'connect',
      'aliases',
      'doctor',
    ],
  },
  api: {
    entries: ['api', 'router'],
    root: ['gateway'],
    mayImport: [
      'lib',
      'http',
      'keys',
      'store',
      'upstreams',
      'clients',
      'connect',
      'models',
      'prices',
      'reconcile',
    ],
  },
};
