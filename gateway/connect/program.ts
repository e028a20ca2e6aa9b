import type { TextProtocol } from '../../shared/chat/chat.ts';
import type { ProgramId } from '../../shared/connect/connection.ts';
import type { CONFIG_FORMATS, ConfigField, PathStep } from './edit/config-format.ts';

/** The account of the person whose programs are connected. */
export interface UserPlace {
  /** Absolute path of the home folder. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** A model of the service. */
export interface KnownModel {
  readonly id: string;
  /** Tokens; `null` when the service does not say it. */
  readonly contextWindow: number | null;
  /** Tokens; `null` when the service does not say it. */
  readonly maxOutput: number | null;
  /** Whether the service says that it accepts images. */
  readonly acceptsImages: boolean;
}

/** The values that a program is set to. */
export interface ConnectValues {
  /** The local address without a path, for programs that add `/v1` themselves. */
  readonly root: string;
  /** The local address with `/v1`. */
  readonly v1: string;
  /** The local key. */
  readonly key: string;
  readonly model: KnownModel;
  /** The model for small tasks in the background. */
  readonly smallModel: KnownModel;
}

/** A file of a program and the fields that a connection sets in it. */
export interface ProgramFile {
  /** Absolute path. */
  readonly path: string;
  readonly format: keyof typeof CONFIG_FORMATS;
  readonly fields: readonly ConfigField[];
  /** The name of the program, where it ignores a JSON file with comments or trailing commas. */
  readonly plainJsonFor?: string;
  /**
   * Members without which an object of the file is not valid, such as a version. They are set where there are none. Undone, they go
   * with the last other member of their object, whatever they hold then.
   */
  readonly companions?: readonly ConfigField[];
}

/** A setting that decides where the requests of a program go. */
export interface DecidingSetting {
  /**
   * `address`: that of the service. `provider`: which of the program's providers it uses. `key`: the key that goes with the address.
   * `further-key`: one that is sent beside it, or counts only where there is no other.
   */
  readonly decides: 'address' | 'provider' | 'key' | 'further-key';
  /** Where it stands in a file. A variable has the path of its name. */
  readonly path: readonly PathStep[];
  /** What a connection has there; needed for a provider. */
  readonly ours?: RegExp;
  /** Of the settings of the same group the strongest counts; absent: of those that decide the same. */
  readonly group?: string;
  /** Whether it holds the name of a variable, which has the value. */
  readonly isVariable?: boolean;
}

/** A place in which such settings can stand: a file, or, without one, the variables of the shell. */
export interface SettingsLayer {
  readonly file: Pick<ProgramFile, 'path' | 'format' | 'plainJsonFor'> | null;
  /** The variable that holds them all as JSON; absent where each is a variable. Only without a file. */
  readonly variable?: string;
  /** Whether the program reads the file only when it is named at a start. */
  readonly isChosen?: boolean;
  readonly settings: readonly DecidingSetting[];
}

/** The account of a person, and where a program is started. */
export interface StartPlace extends UserPlace {
  /** Absolute path; `null` when it is not known. */
  readonly folder: string | null;
}

/** A program whose settings can be changed so that it uses Gatehouse. */
export interface ConnectableProgram {
  readonly id: ProgramId;
  readonly name: string;
  /** Whether the settings were tried with the program itself, or taken from its documentation. */
  readonly checked: 'tried' | 'documented';
  /** The protocol that it speaks when it is set up. */
  readonly protocol: TextProtocol;
  /** Names of its executable, which is searched in PATH. */
  readonly commands: readonly string[];
  /** Absolute paths of folders and files of which one exists when the program has been used. */
  readonly traces: (place: UserPlace) => readonly string[];
  /** The files of the user, each with the fields to set. It may look which of several files exists. */
  readonly files: (place: UserPlace, values: ConnectValues) => readonly ProgramFile[];
  /** The files of a project in this folder; absent for programs whose projects cannot choose a service. */
  readonly projectFiles?: (folder: string, values: ConnectValues) => readonly ProgramFile[];
  /**
   * The places of the settings that decide where its requests go, weakest first; absent for programs that read only the files of the
   * user.
   */
  readonly layers?: (place: StartPlace, values: ConnectValues) => readonly SettingsLayer[];
  /** The variables and arguments that connect one start of it without files; absent where there are none. */
  readonly start?: (values: ConnectValues) => ProgramStart;
  /** Sentences for the person after the change. */
  readonly notes: (values: ConnectValues) => readonly string[];
  /** Finds sentences for the person before the change is undone. */
  readonly undoNotes?: (place: UserPlace) => Promise<readonly string[]>;
}

/** How one start of a program is connected. */
export interface ProgramStart {
  readonly environment: Readonly<Record<string, string>>;
  /** Arguments that come before those of the person. */
  readonly args: readonly string[];
}
