import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** A name server on this machine that knows one IPv4 address for every name. */
export interface NameServer extends AsyncDisposable {
  /** `address:port`, as for `Resolver.setServers`. */
  readonly server: string;
  /** Number of questions so far. */
  readonly questions: number;
}

const TYPE_A = 1;

/** Opens the name server. Its answers have this lifetime in seconds. */
export async function openNameServer(address: string, ttl: number): Promise<NameServer> {
  const socket = createSocket('udp4');
  let questions = 0;
  socket.on('message', (query, { port }) => {
    questions += 1;
    socket.send(answerTo(query, address, ttl), port, '127.0.0.1');
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    server: `127.0.0.1:${socket.address().port}`,
    get questions() {
      return questions;
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

/** Builds an answer (RFC 1035 section 4.1) with one A record, or none for other types. */
function answerTo(query: Buffer, address: string, ttl: number): Buffer {
  const nameEnd = query.indexOf(0, 12);
  const question = query.subarray(12, nameEnd + 5);
  const isIpv4 = query.readUInt16BE(nameEnd + 1) === TYPE_A;
  const head = Buffer.from([0, 0, 0x81, 0x80, 0, 1, 0, isIpv4 ? 1 : 0, 0, 0, 0, 0]);
  query.copy(head, 0, 0, 2);
  const record = Buffer.from([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4]);
  record.writeUInt32BE(ttl, 6);
  const bytes = Buffer.from(address.split('.').map(Number));
  return Buffer.concat([head, question, ...(isIpv4 ? [record, bytes] : [])]);
}
