import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { formatPath } from '../../../../gateway/connect/edit/config-format-error.ts';
import type { ConnectableProgram, SettingsLayer } from '../../../../gateway/connect/program.ts';
import { PROGRAMS as CONNECTABLE } from '../../../../gateway/connect/programs/programs.ts';
import { ProgramId } from '../../../../shared/connect/connection.ts';
import type { AgentBed } from '../agent-bed.ts';
import { Observation, type Outcome } from '../outcome.ts';
import type { AgentProgram } from '../program.ts';
import { MODEL, PROMPT } from '../script.ts';

const TIME_LIMIT_MS = 60_000;

const Report = z.object({
  findings: z.array(z.object({ sentence: z.string(), details: z.array(z.string()) })),
});

/** A place in which the address of a program can stand, with an address of its own there. */
interface TriedPlace {
  readonly name: string;
  /** Such as `http://127.0.0.1:1234`. */
  readonly origin: string;
  /** The variables that hold the address; empty for a file. */
  readonly variables: Readonly<Record<string, string>>;
  /** Absolute path; `null` for variables. */
  readonly path: string | null;
  /** The text of the file before; `null` when there was none. */
  readonly before: string | null;
}

/**
 * Puts another address in each place of a program's settings that a person can write, and takes the one away that the program uses until
 * none is left: `gatehouse doctor` must say the same each time. `null` for a program that reads only the files of the user.
 */
export async function tryPlaces(program: AgentProgram, bed: AgentBed): Promise<Outcome | null> {
  const id = ProgramId.safeParse(program.id);
  const definition = id.success ? CONNECTABLE[id.data] : null;
  if (definition?.layers === undefined) return null;
  const observation = new Observation();
  await using probes = await openProbes();
  const [file = ''] = bed.connection.files;
  const connected = (await bed.home.read([file]))[file] ?? '';
  let left: readonly TriedPlace[] = [];
  for (const layer of listLayers(definition, bed)) {
    const place = await toPlace(layer, bed, { connected, origin: await probes.add() });
    if (place !== null) left = [...left, place];
  }
  let shown = '';
  while (left.length > 0) {
    const variables = Object.assign({}, ...left.map((place) => place.variables));
    probes.reached.length = 0;
    const named = await readWinner(bed, program.id, variables);
    const end = await bed.run({
      arguments: program.toArguments(PROMPT),
      timeLimitMs: TIME_LIMIT_MS,
      environment: variables,
    });
    const used = left.find(({ origin }) => origin === probes.reached[0]);
    if (used === undefined || named !== used.origin) {
      const other = left.find(({ origin }) => origin === named)?.name ?? 'none of them';
      observation.expect(`the diagnosis names ${used?.name ?? 'Gatehouse'}, not ${other}`, false);
      ({ shown } = end);
    }
    if (used === undefined) break;
    observation.see(used.name);
    if (used.path !== null) await restore(used.path, used.before);
    left = left.filter((place) => place !== used);
  }
  for (const { path, before } of left) if (path !== null) await restore(path, before);
  return observation.toOutcomeOf(shown);
}

/** Lists the layers that have the address and that a person can write, each once. */
function listLayers(definition: ConnectableProgram, bed: AgentBed): readonly SettingsLayer[] {
  const { home, gateway, task } = bed;
  const model = { id: MODEL, contextWindow: null, maxOutput: null, acceptsImages: false };
  const layers =
    definition.layers?.(
      {
        home: home.folder,
        environment: { HOME: home.folder },
        platform: process.platform,
        folder: task.workspace,
      },
      { root: gateway.url, v1: `${gateway.url}/v1`, key: gateway.key, model, smallModel: model },
    ) ?? [];
  return layers.filter(
    ({ file, settings, isChosen = false }, at) =>
      !isChosen &&
      settings.some(({ decides }) => decides === 'address') &&
      (file === null ||
        [home.folder, task.workspace].some((folder) => file.path.startsWith(folder))) &&
      layers.findIndex((other) => other.file?.path === file?.path) === at,
  );
}

/** Puts an address in a place, with all other settings of the connection; `null` for a file of another format. */
async function toPlace(
  { file, settings, variable }: SettingsLayer,
  { home, gateway, task, connection }: AgentBed,
  { connected, origin }: { readonly connected: string; readonly origin: string },
): Promise<TriedPlace | null> {
  const text = connected.replaceAll(gateway.url, origin);
  if (file === null) {
    const nameOf = (which: 'address' | 'key') =>
      formatPath(settings.find(({ decides }) => decides === which)?.path ?? []);
    const variables =
      variable === undefined
        ? { [nameOf('address')]: origin, [nameOf('key')]: gateway.key }
        : { [variable]: text };
    return { name: variable ?? nameOf('address'), origin, variables, path: null, before: null };
  }
  const { path } = file;
  const own = connection.files.find((one) => join(home.folder, one) === path);
  const before =
    own === undefined
      ? await readFile(path, 'utf8').catch(() => null)
      : (connection.before[own] ?? null);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  const isInHome = path.startsWith(home.folder);
  const name = `\`${isInHome ? '~' : '.'}/${relative(isInHome ? home.folder : task.workspace, path)}\``;
  return { name, origin, variables: {}, path, before };
}

async function restore(path: string, before: string | null): Promise<void> {
  if (before === null) await rm(path);
  else await writeFile(path, before);
}

/** Returns the address that wins as `gatehouse doctor` says; `null` for none. */
async function readWinner(
  { home, machine, task }: AgentBed,
  id: string,
  variables: Readonly<Record<string, string>>,
): Promise<string | null> {
  const environment = { HOME: home.folder, ...variables };
  const within = ['env', '-C', task.workspace];
  const { stdout } = await machine.run(['doctor', id, '--json'], { environment, within });
  const { findings } = Report.parse(JSON.parse(stdout));
  const details = findings.find(({ sentence }) => sentence.includes('the strongest last'))?.details;
  const [, origin = null] =
    / is (http:\/\/[\d.:]+)\S*, wins/u.exec((details ?? []).join('\n')) ?? [];
  return origin;
}

/** Servers that refuse all requests and note which of them got a prompt. */
interface Probes extends AsyncDisposable {
  /** The addresses that got one, in their order. */
  readonly reached: string[];
  /** Opens another server and returns its address. */
  add(): Promise<string>;
}

async function openProbes(): Promise<Probes> {
  const opened = new AsyncDisposableStack();
  const reached: string[] = [];
  return {
    reached,
    async add() {
      const server = createServer((request, response) => {
        // Claude Code asks /health of the address in the file of the user before it has read those of a project.
        const isPrompt = request.method === 'POST';
        if (isPrompt) reached.push(`http://127.0.0.1:${request.socket.localPort}`);
        request.resume();
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end('{"error":{"type":"invalid_request_error","message":"This is a trial."}}');
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      opened.defer(() => {
        server.closeAllConnections();
        server.close();
      });
      const address = server.address();
      return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    },
    [Symbol.asyncDispose]: async () => await opened.disposeAsync(),
  };
}
