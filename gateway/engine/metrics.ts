import type { ServiceLoad } from '../../shared/status.ts';

export interface MetricsInput {
  /** Number of exchanges in flight. */
  readonly running: number;
  /** The load of each service, by base address. */
  readonly loads: ReadonlyMap<string, ServiceLoad>;
}

interface Metric {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  /** The value; `null` for none. */
  readonly value: (load: ServiceLoad) => number | null;
}

const CIRCUITS = { closed: 0, 'half-open': 1, open: 2 } as const;

const METRICS: readonly Metric[] = [
  {
    name: 'gatehouse_service_calls_in_flight',
    type: 'gauge',
    help: 'Calls whose responses are not complete.',
    value: ({ inFlight }) => inFlight,
  },
  {
    name: 'gatehouse_service_calls_waiting',
    type: 'gauge',
    help: 'Calls waiting in the queue.',
    value: ({ waiting }) => waiting,
  },
  {
    name: 'gatehouse_service_calls_limit',
    type: 'gauge',
    help: 'Limit of concurrent calls after a 429 response; absent without a limit.',
    value: ({ limit }) => limit,
  },
  {
    name: 'gatehouse_service_hold_seconds',
    type: 'gauge',
    help: 'Time until calls are sent again after a 429 response.',
    value: ({ heldMs }) => heldMs / 1_000,
  },
  {
    name: 'gatehouse_service_circuit',
    type: 'gauge',
    help: 'Connections to the service: 0 closed (normal), 1 half-open (one call tries), 2 open (calls are refused).',
    value: ({ circuit }) => CIRCUITS[circuit],
  },
  {
    name: 'gatehouse_service_calls_total',
    type: 'counter',
    help: 'Calls sent, including retries.',
    value: ({ calls }) => calls,
  },
  {
    name: 'gatehouse_service_retries_total',
    type: 'counter',
    help: 'Retries among the calls.',
    value: ({ retries }) => retries,
  },
  {
    name: 'gatehouse_service_throttled_total',
    type: 'counter',
    help: 'Responses of the service with status 429.',
    value: ({ throttled }) => throttled,
  },
  {
    name: 'gatehouse_service_refused_total',
    type: 'counter',
    help: 'Calls that were refused and never sent.',
    value: ({ refused }) => refused,
  },
];

/** Formats the load of all services in the text format of Prometheus, version 0.0.4. */
export function formatMetrics({ running, loads }: MetricsInput): string {
  const lines = [
    ...formatMetricHead('gatehouse_exchanges_running', 'gauge', 'Exchanges in progress.'),
    `gatehouse_exchanges_running ${running}`,
  ];
  for (const { name, type, help, value } of METRICS) {
    lines.push(...formatMetricHead(name, type, help));
    for (const [service, load] of loads) {
      const number = value(load);
      if (number !== null) lines.push(`${name}{service="${escapeLabel(service)}"} ${number}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function formatMetricHead(name: string, type: Metric['type'], help: string): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function escapeLabel(label: string): string {
  return label.replaceAll(/[\\"]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`);
}
