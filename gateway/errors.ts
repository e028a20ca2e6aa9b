/** It cannot be done as asked. The message is for people; `field` names the input to blame, when one is. */
export class UserError extends Error {
  override readonly name = 'Refused';
  readonly field: string | null;

  constructor(message: string, field: string | null = null, options?: ErrorOptions) {
    super(message, options);
    this.field = field;
  }
}

/** What was asked for is not there, or not any more. The message is for people. */
export class NotFoundError extends Error {
  override readonly name = 'NotFound';
}
