/** What may go wrong, by what it befalls. */
export interface Fault {
  readonly part: 'Proxy' | 'Videos' | 'Chat' | 'Database and keys' | 'Window and command line';
  readonly fault: string;
  readonly expected: string;
  /** From the root of the repository. */
  readonly file: string;
  /** The title of the test, or as much of it as does not change. */
  readonly test: string;
}
