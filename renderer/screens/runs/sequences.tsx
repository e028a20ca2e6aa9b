import { describeAgain, groupFailures, SEQUENCE_NAMES } from '../../../shared/run/describe-run.ts';
import type { CostedRun, RunSequence, RunStep } from '../../../shared/run/run.ts';
import { Disclosure } from '../../components/detail/disclosure.tsx';
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
  const { kind, steps } = sequence;
  const places = new Map(steps.map(({ id }, place) => [id, place]));
  const show = (step: RunStep) => (
    <StepView
      key={step.id}
      step={step}
      place={places.get(step.id) ?? 0}
      sequence={sequence}
      detail={detail}
    />
  );
  return (
    <section aria-label={SEQUENCE_NAMES[kind]}>
      {hasTitle && <h3 className={classes['kind']}>{SEQUENCE_NAMES[kind]}</h3>}
      <ol className={classes['steps']}>
        {groupFailures(steps).flatMap((group) => [
          show(group.step),
          ...(group.again.length === 0
            ? []
            : [
                <li key={`${group.step.id} again`} className={classes['again']}>
                  <Disclosure label={describeAgain(group)}>
                    <ol className={classes['steps']}>{group.again.map(show)}</ol>
                  </Disclosure>
                </li>,
              ]),
        ])}
      </ol>
    </section>
  );
}

interface StepViewProps extends Omit<SequenceProps, 'hasTitle'> {
  readonly step: RunStep;
  /** Its place in the sequence, from 0. */
  readonly place: number;
}

/** Shows a step, and the sequences that it started. */
function StepView({ step, place, sequence, detail }: StepViewProps) {
  const { run, sequences, costs, misses } = detail;
  return (
    <li className={classes['step']}>
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
  );
}
