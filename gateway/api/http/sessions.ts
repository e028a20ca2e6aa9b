import { createHash, timingSafeEqual } from 'node:crypto';
import type { Store } from '../../store/store.ts';

export interface SessionsOptions {
  readonly store: Store;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

/**
 * A session. Every call needs both parts: browsers send the cookie to other programs at 127.0.0.1 too, but those cannot read
 * the token.
 */
export interface Session {
  readonly cookie: string;
  readonly token: string;
}

/** Controls access to the window. Codes and sessions are in the database as hashes only, and so survive a restart. */
export interface Sessions {
  /** Creates a code of 128 bits, valid for one sign-in within 10 minutes. */
  createCode(): Promise<string>;
  /** Redeems a code. Resolves with `null` when it is unknown, used or expired. */
  redeemCode(code: string): Promise<Session | null>;
  /**
   * Returns the id of the session that the token and one of the cookies belong to. A session expires 30 days after its last
   * use.
   */
  find(credentials: {
    readonly cookies: readonly string[];
    readonly token: string;
  }): Promise<string | null>;
  /**
   * Returns the id of the session that one of the cookies belongs to. Sufficient only where something else replaces the token.
   */
  findByCookie(cookies: readonly string[]): Promise<string | null>;
  end(id: string): Promise<void>;
}

const CODE_BYTES = 16;
const CREDENTIAL_BYTES = 32;
const CODE_MS = 10 * 60_000;
const SESSION_MS = 30 * 24 * 3_600_000;
/** Precision of the stored time of last use: avoids a write for every call. */
const TOUCH_MS = 3_600_000;

export function createSessions({ store: { db }, now, randomBytes }: SessionsOptions): Sessions {
  const secret = (size: number) => Buffer.from(randomBytes(size)).toString('base64url');
  const findSessions = async (cookies: readonly string[]) =>
    await db
      .selectFrom('window_session')
      .select(['id', 'token_hash', 'used_at'])
      .where('id', 'in', cookies.map(hash))
      .where('used_at', '>', now() - SESSION_MS)
      .execute();
  const deleteExpired = async () => {
    await db.deleteFrom('window_code').where('expires_at', '<=', now()).execute();
    await db
      .deleteFrom('window_session')
      .where('used_at', '<=', now() - SESSION_MS)
      .execute();
  };
  return {
    async createCode() {
      await deleteExpired();
      const code = secret(CODE_BYTES);
      const row = { code_hash: hash(code), expires_at: now() + CODE_MS };
      await db.insertInto('window_code').values(row).execute();
      return code;
    },
    async redeemCode(code) {
      // A single statement, so that of two requests with one code only one succeeds.
      const spent = await db
        .deleteFrom('window_code')
        .where('code_hash', '=', hash(code))
        .returning('expires_at')
        .executeTakeFirst();
      if (spent === undefined || spent.expires_at <= now()) return null;
      const session = { cookie: secret(CREDENTIAL_BYTES), token: secret(CREDENTIAL_BYTES) };
      const id = hash(session.cookie);
      const row = { id, token_hash: hash(session.token), used_at: now() };
      await db.insertInto('window_session').values(row).execute();
      return session;
    },
    async find({ cookies, token }) {
      const rows = await findSessions(cookies);
      const tokenHash = hash(token);
      const row = rows.find(({ token_hash: known }) => isSameHash(known, tokenHash));
      if (row === undefined) return null;
      const { id } = row;
      if (now() - row.used_at >= TOUCH_MS) {
        const used = { used_at: now() };
        const noted = db.updateTable('window_session').set(used).where('id', '=', id).execute();
        // On a full disk the window must still open, because it shows the problem.
        await noted.catch(() => undefined);
      }
      return id;
    },
    async findByCookie(cookies) {
      return (await findSessions(cookies))[0]?.id ?? null;
    },
    async end(id) {
      await db.deleteFrom('window_session').where('id', '=', id).execute();
    },
  };
}

function hash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

function isSameHash(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Creates the address that signs a browser in, once within 10 minutes. The code follows the `#`, which browsers do not send. */
export async function createSignInLink(options: SessionsOptions, port: number): Promise<string> {
  return `http://127.0.0.1:${port}/#${await createSessions(options).createCode()}`;
}
