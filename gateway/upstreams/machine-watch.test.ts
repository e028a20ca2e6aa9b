import { describe, expect, test } from 'vitest';
import { type MachineEvent, MachineWatch } from './machine-watch.ts';

/** A watch on clocks and addresses that a test sets. Its timer does not get due. */
function openWatch() {
  const machine = {
    uptime: 1_000_000,
    monotonic: 500,
    addresses: 'eth0 192.0.2.1' as string | null,
  };
  const events: MachineEvent[] = [];
  const watch = new MachineWatch({
    host: { uptime: () => machine.uptime },
    intervalMs: 3_600_000,
    monotonic: () => machine.monotonic,
    addresses: () => machine.addresses,
    isBusy: () => false,
    onEvent: (event) => events.push(event),
  });
  const pass = (ms: number): void => {
    machine.uptime += ms;
    machine.monotonic += ms;
  };
  return { machine, events, watch, pass, [Symbol.dispose]: () => watch.close() };
}

describe('When a request arrives', () => {
  test('a long silence is no event', () => {
    using opened = openWatch();
    opened.pass(3_600_000);
    opened.watch.requestArrived();
    expect(opened.events).toEqual([]);
  });

  test('time that the clock of the process lacks was a sleep, and is noticed once', () => {
    using opened = openWatch();
    opened.pass(2_000);
    opened.machine.uptime += 60_000;
    opened.watch.requestArrived();
    opened.pass(2_000);
    opened.watch.requestArrived();
    expect(opened.events).toEqual(['slept']);
  });

  test('other addresses are another network', () => {
    using opened = openWatch();
    opened.pass(2_000);
    opened.machine.addresses = 'wlan0 198.51.100.7';
    opened.watch.requestArrived();
    opened.pass(2_000);
    opened.watch.requestArrived();
    expect(opened.events).toEqual(['network-changed']);
  });

  test('addresses that cannot be read for a while are the same network', () => {
    using opened = openWatch();
    const pass = (addresses: string | null) => {
      opened.pass(2_000);
      opened.machine.addresses = addresses;
      opened.watch.requestArrived();
    };
    pass(null);
    pass('eth0 192.0.2.1');
    expect(opened.events).toEqual([]);
    pass(null);
    pass('wlan0 198.51.100.7');
    expect(opened.events).toEqual(['network-changed']);
  });

  test('nothing is read again within a second', () => {
    using opened = openWatch();
    opened.pass(2_000);
    opened.watch.requestArrived();
    opened.machine.addresses = '';
    opened.pass(999);
    opened.watch.requestArrived();
    expect(opened.events).toEqual([]);
    opened.pass(1);
    opened.watch.requestArrived();
    expect(opened.events).toEqual(['network-changed']);
  });
});

test('a timer that is late shows a sleep where the clock of the process counts it', async () => {
  let monotonic = 0;
  const { promise, resolve } = Promise.withResolvers<MachineEvent>();
  const watch = new MachineWatch({
    host: { uptime: () => monotonic },
    intervalMs: 1,
    monotonic: () => monotonic,
    addresses: () => '',
    isBusy: () => false,
    onEvent: resolve,
  });
  watch.requestArrived();
  monotonic = 60_000;
  expect(await promise).toBe('slept');
  watch.close();
});
