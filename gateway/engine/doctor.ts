import { homedir } from 'node:os';
import type { Connections } from '../connect/connect.ts';
import type * as doctorModule from '../doctor/doctor.ts';
import type { Finding } from '../../shared/doctor/finding.ts';
import { toListenerOrigin } from '../../shared/connect/further-listener.ts';
import { UserError } from '../errors.ts';
import type { Proxy } from '../proxy/proxy.ts';
import type { SettingsRepository } from '../settings/settings.ts';
import { isUsableKey } from '../keys/keys.ts';
import type { EngineContext } from './context.ts';
import type { UpstreamController } from './controllers/upstream-controller.ts';
import type { EngineCore } from './core.ts';

type DoctorModule = typeof doctorModule;
type Doctor = doctorModule.Doctor;
type Check = doctorModule.Check;

/** The parts of the engine that are checked. */
interface CheckedParts extends Pick<EngineCore, 'sessions' | 'history' | 'redact'> {
  readonly proxy: Pick<Proxy, 'port' | 'furtherProblem'>;
  readonly services: Pick<UpstreamController, 'testActive' | 'keyPlaces'>;
  readonly connections: () => Promise<Connections | null>;
}

/** Returns a function that opens the checks of everything at its first call: most runs do not need them. */
export function openDoctorOnce(
  { options }: Pick<EngineContext, 'options'>,
  parts: CheckedParts,
): () => Promise<Doctor> {
  let opened: Promise<Doctor> | null = null;
  return () =>
    (opened ??= import('../doctor/doctor.ts').then((doctor) => openFor(doctor, options, parts)));
}

function openFor(
  doctor: DoctorModule,
  { repositories, platform }: EngineContext['options'],
  parts: CheckedParts,
): Doctor {
  const { host, store, settings, clients, clock, videos } = repositories;
  const { dataDir, now, command = 'gatehouse' } = host;
  const { proxy, history, redact } = parts;
  const readVersion = async (path: string) => (await platform.readProgramVersion?.(path)) ?? null;
  const programs = async () => {
    const connections = await parts.connections();
    if (connections === null) return null;
    await history.flush();
    const serving = {
      isRunning: true,
      usualPort: settings.current().port,
      describeListener: () => Promise.resolve(null),
    };
    return { connections, history, serving, command, now, readVersion };
  };
  return doctor.openDoctor({
    folder: {
      dataDir,
      command,
      store,
      settings,
      clients,
      clock,
      damagedVideos: () => videos.damaged(),
    },
    ownChecks: listOwnChecks(doctor, parts, settings),
    serviceChecks: () => listServiceChecks(doctor, parts, { now, command }),
    programs,
    trial: () => ({ port: proxy.port, localKey: clients.ownKey('window') }),
    report: { home: platform.place?.home ?? homedir(), redact },
    now,
  });
}

function listOwnChecks(
  { ok, warn }: DoctorModule,
  { proxy, services }: CheckedParts,
  settings: Pick<SettingsRepository, 'current'>,
): readonly Check[] {
  const checkPort = async (): Promise<Finding[]> => {
    const { port } = proxy;
    const further = settings.current().furtherListeners.map(({ name, address }) => {
      const problem = proxy.furtherProblem(address);
      const origin = toListenerOrigin({ address }, port);
      return problem === null
        ? ok('port', `“${name}” reaches it at ${origin}.`)
        : warn(
            'port',
            `“${name}” does not reach it at ${origin}: ${problem}`,
            'It is tried again by itself. If the address has changed, replace it in Settings, Proxy.',
          );
    });
    return [ok('port', `Gatehouse is running at http://127.0.0.1:${port}.`), ...further];
  };
  const checkKeychain = async (): Promise<Finding[]> => {
    const { works, reason } = await readKeychain(services);
    if (reason === null) return [ok('keychain', 'This system has a keychain for service keys.')];
    if (works) return [ok('keychain', reason)];
    // The state of the key in use says whether this is a problem.
    return [ok('keychain', `Service keys can be stored in a private file only. ${reason}`)];
  };
  return [
    { name: 'port', run: checkPort },
    { name: 'keychain', run: checkKeychain },
  ];
}

/** Finds out whether service keys can be stored in a keychain; `reason` says why not, or that it has not answered. */
async function readKeychain(services: CheckedParts['services']) {
  const places = await services.keyPlaces();
  return places.find(({ place }) => place === 'keychain') ?? { works: false, reason: null };
}

function listServiceChecks(
  doctor: DoctorModule,
  { sessions, services }: CheckedParts,
  { now, command }: { readonly now: () => number; readonly command: string | null },
): readonly Check[] {
  const { upstream, keys, systemProxy } = sessions.current;
  const { ok, fail, TO_SERVICES } = doctor;
  if (upstream.kind === 'sandbox') {
    const sentence = 'The sandbox is used, which is built in and charges nothing.';
    return [{ name: 'service', run: async () => [ok('service', sentence, TO_SERVICES)] }];
  }
  const checkKey = async (): Promise<Finding[]> => {
    const state = keys.state();
    if (!isUsableKey(state.name)) return [doctor.describeUnusableKey(state, command)];
    if (state.name !== 'file') return [ok('key', state.sentence)];
    const { works, reason } = await readKeychain(services);
    return [doctor.describeKeyFile(works && reason === null, command)];
  };
  const ask = async (signal: AbortSignal): Promise<readonly Finding[]> => {
    try {
      const tested = await services.testActive(signal);
      if (tested === null) return [];
      const { verdict, words, date } = tested;
      const answer = { ...verdict, verdict: words, date };
      return doctor.describeAnswer(upstream.baseUrl, answer, now());
    } catch (error) {
      // Such as a file of certificates that cannot be read.
      if (!(error instanceof UserError)) throw error;
      return [fail('certificates', error.message, '', TO_SERVICES)];
    }
  };
  const proxy = doctor.describeProxy(systemProxy, upstream.proxyUrl !== null);
  return [
    { name: 'key', run: checkKey },
    { name: 'service', run: ask },
    { name: 'proxy', run: async () => [proxy] },
  ];
}
