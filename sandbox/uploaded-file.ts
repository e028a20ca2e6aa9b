/** A file that arrived whole. */
export interface UploadedFile {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly sha256: string;
  /** The bytes; absent when the file is larger than 8 MiB, which is counted and hashed but not kept. */
  readonly bytes: Buffer | undefined;
}
