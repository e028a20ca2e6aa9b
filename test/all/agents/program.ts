/** A program from npm that can be tried here. */
export interface AgentProgram {
  /** Its name for `--only`, in results and in folders, and for `gatehouse connect`. */
  readonly id: string;
  /** The name of the variables by which `gatehouse env` connects it; absent for programs with settings. */
  readonly variables?: string;
  /** Its name for people. */
  readonly title: string;
  readonly package: AgentPackage;
  readonly protocol: 'chat' | 'responses' | 'messages';
  /** Variables that only tests need, such as those that turn updates off. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Returns the arguments that run one prompt without a terminal. */
  toArguments(this: void, prompt: string): readonly string[];
  /** Returns the arguments that run one prompt with an image; or why it takes none without a terminal. */
  readonly image: string | ((this: void, prompt: string, file: string) => readonly string[]);
  /** What it shows instead of the text of a 401 or a 403; absent for a program that shows the text. */
  readonly refusalText?: string;
  /** How it uses the tools of MCP servers that it does not send until they are needed; absent where that is not tried. */
  readonly toolSearch?: ToolSearch;
  /** Returns the calls by which it reads and edits a file and runs a command, in this order. */
  callTools(this: void, task: TaskFiles): readonly [ToolCall, ToolCall, ToolCall];
  /** Returns the calls by which it starts another agent for a task, and then waits for it where it must. */
  callAgent?(this: void, task: string): readonly [ToolCall, ...ToolCall[]];
}

export interface ToolSearch {
  /** Returns the arguments that run one prompt with an MCP server named `doors`, which this line starts. */
  toArguments(
    this: void,
    prompt: string,
    server: readonly [string, ...string[]],
  ): readonly string[];
  /** Returns the call that searches for a tool of the server, and the one of that tool. */
  find(this: void, tool: string): { readonly search: ToolCall; readonly call: ToolCall };
}

export interface AgentPackage {
  readonly name: string;
  readonly version: string;
  /** The command that it installs, or the file of `scripts/` that uses the package. */
  readonly command: string;
  /** The packages that such a file needs besides, with their versions. */
  readonly beside?: Readonly<Record<string, string>>;
}

/** The files of the task: absolute paths and texts. */
export interface TaskFiles {
  readonly workspace: string;
  readonly path: string;
  /** Where the command writes its copy. */
  readonly copy: string;
  readonly before: string;
  readonly after: string;
  /** The command that the program runs after the edit. */
  readonly command: string;
}

/** A call of a tool as the model makes it. */
export interface ToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The group of tools that has it, for programs that send tools in groups. */
  readonly namespace?: string;
}
