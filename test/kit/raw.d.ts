import { type Socket } from 'node:net';
/** An HTTP/1.1 answer, read byte for byte from a socket. */
export interface RawAnswer {
    readonly status: number;
    readonly headers: ReadonlyMap<string, string>;
    /** As on the wire, chunk framing removed. */
    readonly body: string;
    /** The whole answer as it came. */
    readonly wire: string;
}
/** Opens a connection to a local port. */
export declare function dial(port: number, host?: string): Promise<Socket>;
/** Sends exactly these bytes and reads until the connection ends. Ask for `connection: close`. */
export declare function sendRaw(port: number, bytes: string | Buffer): Promise<RawAnswer>;
/** Reads until the connection ends. */
export declare function readAnswer(socket: Socket): Promise<RawAnswer>;
export declare function parseAnswer(wire: string): RawAnswer;
