/** A request about clients that cannot be met. `message` is for people and holds no key. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
}
