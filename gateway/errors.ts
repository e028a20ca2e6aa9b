/** A request of a person that cannot be fulfilled. The message is for people; `field` names the invalid input, if there is one. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly field: string | null;

  constructor(message: string, field: string | null = null, options?: ErrorOptions) {
    super(message, options);
    this.field = field;
  }
}

/** A requested thing that does not exist, or not any more. The message is for people. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
}
