import type { CostedRun, RunSequence } from '../../../shared/run/run.ts';
import { SEQUENCE_NAMES } from '../../../shared/run/describe-run.ts';
import classes from './runs.module.css';
import { Step } from './step.tsx';

/** Shows the sequences of a run in the order in which they began. An agent is below the step whose tool call started it. */
export function Sequences({ detail }: { readonly detail: CostedRun }) {
  const { sequences } = detail;
  const steps = new Set(sequences.flatMap((sequence) => sequence.steps.map(({ id }) => id)));
  const top = sequences.filter(({ startedBy }) => startedBy === null || !steps.has(startedBy));
  return top.map((sequence) => (
    <SequenceView key={sequence.id} sequence={sequence} detail={detail} hasTitle={top.length > 1} />
  ));
}

interface SequenceProps {
  readonly sequence: RunSequence;
  readonly detail: CostedRun;
  readonly hasTitle: boolean;
}

function SequenceView({ sequence, detail, hasTitle }: SequenceProps) {
  const { run, sequences, costs, misses } = detail;
  const { kind, steps } = sequence;
  return (
    <section aria-label={SEQUENCE_NAMES[kind]}>
      {hasTitle && <h3 className={classes['kind']}>{SEQUENCE_NAMES[kind]}</h3>}
      <ol className={classes['steps']}>
        {steps.map((step, place) => (
          <li key={step.id} className={classes['step']}>
            <Step
              step={step}
              miss={misses[step.id] ?? null}
              number={place + 1}
              offsetMs={step.startedAt - run.startedAt}
              endedWell={run.endedWell}
              cost={costs[step.id] ?? null}
            />
            {sequences
              .filter(({ startedBy, id }) => startedBy === step.id && id !== sequence.id)
              .map((started) => (
                <SequenceView key={started.id} sequence={started} detail={detail} hasTitle />
              ))}
          </li>
        ))}
      </ol>
    </section>
  );
}
