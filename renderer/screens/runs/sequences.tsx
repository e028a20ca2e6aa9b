import type { CostedRun, RunSequence, RunSummary } from '../../../shared/run/run.ts';
import classes from './runs.module.css';
import { Step } from './step.tsx';

const KINDS: Readonly<Record<RunSequence['kind'], string>> = {
  main: 'Agent',
  agent: 'Agent started by a tool call',
  helper: 'Requests beside it',
  continued: 'Continued with a shortened or edited history',
};

interface SequencesProps {
  readonly run: RunSummary;
  readonly sequences: readonly RunSequence[];
  readonly costs: CostedRun['costs'];
}

/** Shows the sequences of a run in the order in which they began. An agent is below the step whose tool call started it. */
export function Sequences({ run, sequences, costs }: SequencesProps) {
  const steps = new Set(sequences.flatMap((sequence) => sequence.steps.map(({ id }) => id)));
  const top = sequences.filter(({ startedBy }) => startedBy === null || !steps.has(startedBy));
  return top.map((sequence) => (
    <SequenceView
      key={sequence.id}
      sequence={sequence}
      run={run}
      all={sequences}
      costs={costs}
      hasTitle={top.length > 1}
    />
  ));
}

interface SequenceProps {
  readonly sequence: RunSequence;
  readonly run: RunSummary;
  readonly all: readonly RunSequence[];
  readonly costs: CostedRun['costs'];
  readonly hasTitle: boolean;
}

function SequenceView({ sequence, hasTitle, ...rest }: SequenceProps) {
  const { run, all, costs } = rest;
  const { kind, steps } = sequence;
  return (
    <section aria-label={KINDS[kind]}>
      {hasTitle && <h3 className={classes['kind']}>{KINDS[kind]}</h3>}
      <ol className={classes['steps']}>
        {steps.map((step, place) => (
          <li key={step.id} className={classes['step']}>
            <Step
              step={step}
              before={steps[place - 1] ?? null}
              number={place + 1}
              offsetMs={step.startedAt - run.startedAt}
              endedWell={run.endedWell}
              cost={costs[step.id] ?? null}
            />
            {all
              .filter(({ startedBy, id }) => startedBy === step.id && id !== sequence.id)
              .map((started) => (
                <SequenceView key={started.id} sequence={started} {...rest} hasTitle />
              ))}
          </li>
        ))}
      </ol>
    </section>
  );
}
