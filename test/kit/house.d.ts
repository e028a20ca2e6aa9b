import type { ExchangeRecord } from '../../shared/exchange.ts';
import { type Gateway, type Rooms } from '../../gateway/gateway.ts';
import { type Keys } from '../../gateway/keys/keys.ts';
import type { Limits } from '../../gateway/proxy/proxy.ts';
import { type Sandbox, type SandboxOptions } from '../../sandbox/server.ts';
/** A gateway with a sandbox behind it, on free ports, in a folder of its own. */
export interface House extends AsyncDisposable {
    readonly port: number;
    /** `http://127.0.0.1:PORT`, without `/v1`. */
    readonly url: string;
    readonly sandbox: Sandbox;
    readonly gateway: Gateway;
    readonly rooms: Rooms;
    readonly keys: Keys;
    readonly dataDir: string;
    /** A local key of the client "Test". */
    readonly localKey: string;
    /** What the application log got. */
    readonly logged: readonly string[];
    /** What is recorded so far, newest first. */
    records(): Promise<ExchangeRecord[]>;
    /** Waits until at least `count` exchanges are recorded. */
    recorded(count: number): Promise<ExchangeRecord[]>;
}
export interface HouseOptions {
    readonly strict?: boolean;
    readonly allowedOrigins?: readonly string[];
    readonly limits?: Partial<Limits>;
    readonly sandbox?: SandboxOptions;
    /** Another service than the sandbox. */
    readonly baseUrl?: string;
    readonly serviceKey?: string | null;
}
/** Starts a house. `await using` closes it: gateway first, then sandbox, then the folder. */
export declare function startHouse(options?: HouseOptions): Promise<House>;
