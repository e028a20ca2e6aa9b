import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle, IconKey } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { KeyStateName } from '../../../shared/upstream.ts';
import { useCalls } from '../../client/client.ts';
import { Ago } from '../../parts/ago.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { sayDone, sayFailed } from '../../parts/said.ts';
import { useTrial } from '../../parts/use-trial.ts';
import { Verdict } from '../../parts/verdict.tsx';
import { KeyDialog } from './key-dialog.tsx';
import type { UpstreamWithKey } from './upstream-card.tsx';
import classes from './upstream-card.module.css';
import { formOf } from './upstream-form.ts';

interface Ways {
  readonly tone: 'good' | 'warn' | 'bad';
  readonly test?: true;
  /** What giving a key is called; absent when a kept one would not be used. */
  readonly give?: string;
  readonly forget?: true;
  readonly again?: true;
}

/** What can be done about a key, by its state. */
const WAYS: Readonly<Record<KeyStateName, Ways>> = {
  keychain: { tone: 'good', test: true, give: 'Replace…', forget: true },
  file: { tone: 'warn', test: true, give: 'Replace…', forget: true },
  environment: { tone: 'good', test: true },
  'this-run': { tone: 'good', test: true },
  locked: { tone: 'bad', again: true, give: 'Give another…' },
  unavailable: { tone: 'bad', again: true, give: 'Give a key…' },
  missing: { tone: 'bad', give: 'Give the key…' },
};

/** Where the service key of an upstream is, in words, and the ways on from there. */
export function KeyLine({ upstream }: { readonly upstream: UpstreamWithKey }) {
  const { key, active } = upstream;
  const { test, give, forget, again, ...ways } = WAYS[key.name];
  const refusedAt = useRefusedAt(active);
  const tone = refusedAt === null ? ways.tone : 'bad';
  const trial = useTrial();
  const [giving, dialog] = useDisclosure(false);
  return (
    <>
      <div className={classes['key']}>
        <div className={classes['words']} data-tone={tone}>
          {tone === 'good' ? <IconKey size={16} /> : <IconAlertTriangle size={16} />}
          <Text size="sm" component="div">
            {key.sentence}{' '}
            {refusedAt !== null && (
              <b>
                The service refused it <Ago at={refusedAt} />.
              </b>
            )}
          </Text>
        </div>
        <Button.Group>
          {test === true && (
            <Button
              size="compact-sm"
              variant="default"
              loading={trial.isPending}
              onClick={() => trial.mutate({ form: formOf(upstream), key: null })}
            >
              Test
            </Button>
          )}
          {again === true && <Again upstream={upstream} />}
          {give !== undefined && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => {
                trial.reset();
                dialog.open();
              }}
            >
              {give}
            </Button>
          )}
          {forget === true && <Forget upstream={upstream} onForgotten={trial.reset} />}
        </Button.Group>
      </div>
      <Verdict verdict={trial.data} error={trial.error} />
      <KeyDialog opened={giving} onClose={dialog.close} upstream={upstream} />
    </>
  );
}

/** When the service refused the key in use: it may be there and yet be no good. */
function useRefusedAt(active: boolean): number | null {
  const { data } = useQuery(useCalls().status.get.queryOptions());
  return active ? (data?.keyRefusedAt ?? null) : null;
}

function Again({ upstream: { id } }: { readonly upstream: UpstreamWithKey }) {
  const read = useMutation(
    useCalls().upstreams.readKey.mutationOptions({
      onSuccess: ({ sentence }) => sayDone(sentence),
      onError: (error) => sayFailed('The key was not read.', error),
    }),
  );
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={read.isPending}
      onClick={() => read.mutate({ id })}
    >
      Read again
    </Button>
  );
}

interface ForgetProps {
  readonly upstream: UpstreamWithKey;
  readonly onForgotten: () => void;
}

function Forget({ upstream: { id, name }, onForgotten }: ForgetProps) {
  const [asking, question] = useDisclosure(false);
  const forget = useMutation(
    useCalls().upstreams.forgetKey.mutationOptions({
      onSuccess: ({ sentence }) => {
        onForgotten();
        sayDone(sentence);
      },
      onError: (error) => sayFailed('The key was not forgotten.', error),
      onSettled: question.close,
    }),
  );
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={question.open}>
        Forget…
      </Button>
      <Confirm
        opened={asking}
        onClose={question.close}
        title={`Forget the service key of ${name}?`}
        action="Forget the key"
        busy={forget.isPending}
        onConfirm={() => forget.mutate({ id })}
      >
        Until you give another one, requests to {name} fail. The key stays valid at the service; end
        it there if it should not be used any more.
      </Confirm>
    </>
  );
}
