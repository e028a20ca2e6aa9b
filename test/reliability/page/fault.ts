/** A possible fault and the test that covers it. */
export interface Fault {
  readonly part: 'Proxy' | 'Videos' | 'Chat' | 'Database and keys' | 'Window and command line';
  readonly fault: string;
  readonly expected: string;
  /** Path from the root of the repository. */
  readonly file: string;
  /** Title of the test, or its constant part. */
  readonly test: string;
}
