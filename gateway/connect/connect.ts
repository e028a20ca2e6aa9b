import type {
  Connected,
  ConnectionChoice,
  ConnectionPreview,
  Disconnected,
  ProgramId,
  ProgramState,
  UndoneFile,
} from '../../shared/connect/connection.ts';
import type { ProgramDiagnosis } from '../../shared/connect/diagnosis.ts';
import type { Model } from '../../shared/model.ts';
import type { Clients } from '../clients/clients.ts';
import { NotFoundError, UserError } from '../errors.ts';
import type { Log } from '../host.ts';
import {
  endConnectionKey,
  describeClient,
  describeJoined,
  findClientName,
  findPresentKey,
  prepareClient,
} from './connection-client.ts';
import { describeReadable, describeUnlisted } from './connection-notes.ts';
import { describeConnection, describeLeft } from './describe-connection.ts';
import { NEW_KEY } from './diff-lines.ts';
import { diagnoseProgram, type Terminal } from './diagnose.ts';
import { findProgram, toCommandName } from './find-program.ts';
import { Journal, type JournalEntry } from './journal/journal.ts';
import { toConnectValues } from './connect-values.ts';
import { withConnectionsLock } from './lock.ts';
import { makeConnection } from './make-connection.ts';
import {
  describeChange,
  describePlan,
  isSameStart,
  type Plan,
  toToken,
  toUndoToken,
} from './plan.ts';
import { planChoice } from './plan-choice.ts';
import type { ConnectableProgram, ConnectValues, UserPlace } from './program.ts';
import { PROGRAMS } from './programs/programs.ts';
import { writeRestoreScript } from './restore-script.ts';
import { computeWithout, putBack } from './undo-file.ts';

export { toConnectValues } from './connect-values.ts';
export { findCommand } from './find-program.ts';
export {
  type ConnectEnvironment,
  ENVIRONMENTS,
  findEnvironmentByCommand,
} from './programs/environments.ts';
export type { ProgramStart, UserPlace } from './program.ts';

/** What the connections need. */
export interface ConnectionsOptions {
  readonly dataDir: string;
  readonly place: UserPlace;
  readonly clients: Clients;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  readonly log: Log;
  /** Returns the local address without a path. */
  readonly address: () => string;
  /** Returns the further addresses, such as `http://172.17.0.1:6417`. */
  readonly furtherAddresses: () => readonly string[];
  /** Whether Gatehouse answers there now, and not only after its next start. */
  readonly isRunning: boolean;
  /** Returns the models of the service, as far as they are known. */
  readonly models: () => readonly Model[];
  /** The terminal of the person, whose variables and folder count for programs that are started there; absent when it cannot be seen. */
  readonly terminal?: Terminal;
  /** Called after connections were made or undone. */
  readonly onChange?: () => void;
}

/** A program whose settings lead to an earlier local address. */
export interface MovedProgram {
  readonly id: ProgramId;
  readonly name: string;
  readonly address: string;
  readonly now: string;
}

/** The settings of programs that use Gatehouse: changed with a preview, and undone. */
export interface Connections {
  /** Lists all programs, whether each is installed, and its connection. */
  list(): Promise<ProgramState[]>;
  /** Computes the change that connects a program; writes nothing. @throws UserError */
  preview(choice: ConnectionChoice): Promise<ConnectionPreview>;
  /**
   * Connects a program with a local key of its own: all its files are changed, or none. Its requests count for the client of its
   * earlier connection or of its name, so that the limits of that client hold, otherwise for a new one. `token`: that of the preview that the person
   * saw; `null` for none. @throws UserError also when a file was changed since the preview
   */
  connect(
    choice: ConnectionChoice,
    token: string | null,
  ): Promise<Connected & { key: string | null }>;
  /** Computes what undoing would change; writes nothing. @throws NotFoundError when the program is not connected */
  previewUndo(program: ProgramId): Promise<ConnectionPreview>;
  /**
   * Takes a connection back and ends its local key; the client stays. `token`: that of the preview, or `null`. Files that cannot be read are left, and the connection is kept until they are
   * undone too. @throws NotFoundError when the program is not connected
   */
  disconnect(program: ProgramId, token: string | null): Promise<Disconnected>;
  /**
   * Reads the settings of a program and says whether they lead here; changes nothing. `here`: those that count where the terminal is,
   * also when those of another project are connected.
   */
  diagnose(program: ProgramId, which?: 'connected' | 'here'): Promise<ProgramDiagnosis>;
  /** Lists the programs that were connected with another local address than the present one. */
  listMoved(): Promise<readonly MovedProgram[]>;
  /** Returns the name of the client that a program counts for, also without a connection: that of a present client, or a free one. @throws UserError when its keys have expired */
  findClientName(program: ProgramId): Promise<string>;
  /** Returns the program that a client was created for; `null` when there is none. */
  findProgramOf(clientId: string): Promise<ProgramId | null>;
}

/** Returns the program that has a command of this name; `null` when none has. */
export function findProgramByCommand(command: string): ConnectableProgram | null {
  const name = toCommandName(command);
  return Object.values(PROGRAMS).find(({ commands }) => commands.includes(name)) ?? null;
}

/** Opens the connections of a data folder. */
export function openConnections(options: ConnectionsOptions): Connections {
  return new StoredConnections(options);
}

class StoredConnections implements Connections {
  readonly #options: ConnectionsOptions;
  readonly #journal: Journal;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#journal = new Journal(options.dataDir);
  }

  async list(): Promise<ProgramState[]> {
    const entries = await this.#journal.list();
    const clients = entries.length === 0 ? [] : await this.#options.clients.list();
    return await Promise.all(
      Object.values(PROGRAMS).map(async (program) => {
        const entry = entries.find((one) => one.program === program.id);
        return {
          id: program.id,
          name: program.name,
          protocol: program.protocol,
          ...findProgram(program, this.#options.place),
          checked: program.checked,
          connection: entry === undefined ? null : await describeConnection(entry, clients),
        };
      }),
    );
  }

  async preview(choice: ConnectionChoice): Promise<ConnectionPreview> {
    const program: ConnectableProgram = PROGRAMS[choice.program];
    const old = await this.#journal.read(choice.program);
    const toValues = this.#valuesOf(choice);
    const trial = await this.#plan(program, choice, old, toValues(NEW_KEY));
    const { clients } = this.#options;
    const key = await findPresentKey(clients, old);
    const plan = key === null ? trial : await this.#plan(program, choice, old, toValues(key));
    const question = await this.#toQuestion(program, old);
    return {
      program: choice.program,
      token: toToken(trial, await describeJoined(clients, question)),
      files: describePlan(plan),
      notes: [
        ...describeUnlisted(this.#options.models(), choice),
        ...(await describeClient(clients, question, [
          choice.model,
          choice.smallModel ?? choice.model,
        ])),
        ...describeReadable(plan),
        ...program.notes(toValues(NEW_KEY)),
      ],
    };
  }

  async connect(
    choice: ConnectionChoice,
    token: string | null,
  ): Promise<Connected & { key: string | null }> {
    const program: ConnectableProgram = PROGRAMS[choice.program];
    const { clients } = this.#options;
    return await this.#locked(async () => {
      const old = await this.#journal.read(choice.program);
      const toValues = this.#valuesOf(choice);
      const trial = await this.#plan(program, choice, old, toValues(NEW_KEY));
      const question = await this.#toQuestion(program, old);
      const joined = await describeJoined(clients, question);
      if (token !== null && token !== toToken(trial, joined)) throw createMovedError();
      const isInFiles = trial.files.some(({ after }) => after.includes(NEW_KEY));
      const prepared = await prepareClient(clients, question, isInFiles);
      const { client, key, keyHash } = prepared;
      try {
        const plan = await this.#plan(program, choice, old, toValues(key ?? NEW_KEY));
        if (!isSameStart(plan, trial)) throw createMovedError();
        const files = await makeConnection(this.#journal, plan, old, {
          program: choice.program,
          client,
          ...(keyHash === undefined ? {} : { keyHash }),
          at: this.#options.now(),
          model: choice.model,
          address: toValues(NEW_KEY).root,
          ...(choice.project === undefined ? {} : { project: choice.project }),
        });
        await this.#updateScript();
        return {
          program: choice.program,
          client,
          key,
          keyToEnter: isInFiles ? null : key,
          files,
          notes: [...describeReadable(plan), ...program.notes(toValues(NEW_KEY))],
        };
      } catch (error) {
        await prepared.takeBack();
        throw error;
      }
    });
  }

  async previewUndo(program: ProgramId): Promise<ConnectionPreview> {
    const entry = await this.#require(program);
    const files = await this.#computeAll(entry);
    const left = files.flatMap(({ file, without }) => describeLeft(file, without));
    return {
      program,
      token: toUndoToken(files),
      files: files.map(({ file, without }) =>
        describeChange(file.path, without.found.bytes, without.bytes),
      ),
      notes: [...left, ...(await this.#findUndoNotes(program))],
    };
  }

  async disconnect(program: ProgramId, token: string | null): Promise<Disconnected> {
    return await this.#locked(async () => {
      const entry = await this.#require(program);
      const all = await this.#computeAll(entry);
      if (token !== null && token !== toUndoToken(all)) throw createMovedError();
      const files: UndoneFile[] = [];
      for (const { file, without } of all) {
        await putBack(file, without);
        files.push({ path: file.path, result: without.result, left: [...without.left] });
      }
      const complete = files.every(({ result }) => result !== 'unreadable');
      // The connection goes last: a process that ends before leaves one that can be undone once more.
      await endConnectionKey(this.#options.clients, entry, this.#options.log);
      if (complete) {
        await this.#journal.remove(program);
        await this.#updateScript();
      }
      return { program, files, complete, notes: await this.#findUndoNotes(program) };
    });
  }

  async diagnose(
    program: ProgramId,
    which: 'connected' | 'here' = 'connected',
  ): Promise<ProgramDiagnosis> {
    const { place, clients, address, furtherAddresses, isRunning, terminal = null } = this.#options;
    const entry = await this.#journal.read(program);
    return await diagnoseProgram(PROGRAMS[program], place, {
      // A start may have had another port than the next one has without options.
      root: isRunning || entry === null ? address() : entry.address,
      further: furtherAddresses(),
      entry: which === 'here' ? null : entry,
      clients,
      terminal,
    });
  }

  async listMoved(): Promise<readonly MovedProgram[]> {
    const now = this.#options.address();
    const entries = await this.#journal.list();
    return entries
      .filter(({ address }) => address !== now)
      .map(({ program: id, address }) => ({ id, name: PROGRAMS[id].name, address, now }));
  }

  async findClientName(program: ProgramId): Promise<string> {
    const question = await this.#toQuestion(PROGRAMS[program], await this.#journal.read(program));
    return await findClientName(this.#options.clients, question);
  }

  async findProgramOf(clientId: string): Promise<ProgramId | null> {
    const entries = await this.#journal.list();
    return entries.find(({ client }) => client.id === clientId)?.program ?? null;
  }

  async #toQuestion({ name }: ConnectableProgram, old: JournalEntry | null) {
    return { name, old, connected: (await this.#journal.list()).map(({ client }) => client.id) };
  }

  /** Returns the values for a key, with the address and the models of this moment. */
  #valuesOf({ model, smallModel = model }: ConnectionChoice): (key: string) => ConnectValues {
    const root = this.#options.address();
    const models = this.#options.models();
    return (key) => toConnectValues({ root, key, models, model, smallModel });
  }

  async #plan(
    program: ConnectableProgram,
    choice: ConnectionChoice,
    old: JournalEntry | null,
    values: ConnectValues,
  ): Promise<Plan> {
    const { place } = this.#options;
    return await planChoice(program, choice, values, { journal: this.#journal, old, place });
  }

  async #computeAll(entry: JournalEntry) {
    return await Promise.all(
      entry.files.map(async (file) => ({
        file,
        without: await computeWithout(this.#journal, entry, file),
      })),
    );
  }

  async #findUndoNotes(id: ProgramId): Promise<string[]> {
    const program: ConnectableProgram = PROGRAMS[id];
    return [...((await program.undoNotes?.(this.#options.place)) ?? [])];
  }

  async #require(program: ProgramId): Promise<JournalEntry> {
    const entry = await this.#journal.read(program);
    if (entry === null) {
      throw new NotFoundError(`${PROGRAMS[program].name} was not connected by Gatehouse.`);
    }
    return entry;
  }

  async #updateScript(): Promise<void> {
    const { dataDir, place } = this.#options;
    // The script goes on naming a connection that cannot be read.
    if (await this.#journal.isDamaged()) return;
    const entries = await this.#journal.list();
    const journalFolder = this.#journal.folder;
    await writeRestoreScript({ dataDir, journalFolder, platform: place.platform, entries });
  }

  /** Runs work that changes connections while no other process and no other call does. */
  async #locked<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await withConnectionsLock(this.#options.dataDir, work);
    } finally {
      this.#options.onChange?.();
    }
  }
}

function createMovedError(): UserError {
  return new UserError(
    'A file or the client was changed since, or another window made the change. Look at it again.',
  );
}
