import { TextProtocol } from '../../shared/chat/chat.ts';
import type { ExchangeBodies } from '../../shared/exchange/body.ts';
import type { ExchangeRecord } from '../../shared/exchange/exchange.ts';
import type { ExchangeDetail } from '../../shared/history/history.ts';

/** An exchange with everything that is stored of it. */
export interface StoredExchange extends ExchangeDetail {
  /** `null` when the format has no bodies. */
  readonly bodies: ExchangeBodies | null;
}

/** Formats exchanges, one after the other, as the text of one file. */
export interface Formatter {
  /** The text before all exchanges. */
  readonly begin: string;
  format(exchange: StoredExchange): string;
  /** Returns the text after all exchanges. */
  end(): string;
}

/** Returns the protocol of an exchange; `null` when it asked no model for an answer. */
export function toProtocol({ route }: Pick<ExchangeRecord, 'route'>): TextProtocol | null {
  return TextProtocol.options.find((option) => option === route) ?? null;
}
