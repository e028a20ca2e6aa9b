import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle, IconKey } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { KeyStateName } from '../../../../shared/upstream.ts';
import { useCalls } from '../../../api/client.ts';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { keyTone } from '../../../format/key-tone.ts';
import { toastSuccess, toastError } from '../../../hooks/toast.ts';
import { useConnectionTest } from '../../../hooks/use-connection-test.ts';
import { TestResultMessage } from '../../../components/test-result.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { type UpstreamWithKey, toUpstreamForm } from './upstream-form.ts';
import classes from './upstream-card.module.css';

interface KeyActions {
  readonly test?: true;
  /** Label of the button that adds a key; absent when a stored key would not be used. */
  readonly give?: string;
  readonly forget?: true;
  readonly retry?: true;
}

/** The actions on a key, by its state. */
const KEY_ACTIONS: Readonly<Record<KeyStateName, KeyActions>> = {
  keychain: { test: true, give: 'Replace…', forget: true },
  file: { test: true, give: 'Replace…', forget: true },
  environment: { test: true },
  'this-run': { test: true },
  locked: { retry: true, give: 'Enter another…' },
  unavailable: { retry: true, give: 'Enter a key…' },
  missing: { give: 'Enter the key…' },
};

/** Shows where the service key of an upstream is stored, and the actions on it. */
export function ServiceKeyRow({ upstream }: { readonly upstream: UpstreamWithKey }) {
  const { key, active } = upstream;
  const { test, give, forget, retry } = KEY_ACTIONS[key.name];
  const refusedAt = useRefusedAt(active);
  const tone = refusedAt === null ? keyTone(key.name) : 'bad';
  const connectionTest = useConnectionTest();
  const [giving, dialog] = useDisclosure(false);
  return (
    <>
      <div className={classes['key']}>
        <div className={classes['text']} data-tone={tone}>
          {tone === 'good' ? <IconKey size={16} /> : <IconAlertTriangle size={16} />}
          <Text size="sm" component="div">
            {key.sentence}{' '}
            {refusedAt !== null && (
              <b>
                The service refused it <RelativeTime at={refusedAt} />.
              </b>
            )}
          </Text>
        </div>
        <Button.Group>
          {test === true && (
            <Button
              size="compact-sm"
              variant="default"
              loading={connectionTest.isPending}
              onClick={() => connectionTest.mutate({ form: toUpstreamForm(upstream), key: null })}
            >
              Test
            </Button>
          )}
          {retry === true && <ReadAgain upstream={upstream} />}
          {give !== undefined && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => {
                connectionTest.reset();
                dialog.open();
              }}
            >
              {give}
            </Button>
          )}
          {forget === true && <Forget upstream={upstream} onForgotten={connectionTest.reset} />}
        </Button.Group>
      </div>
      <TestResultMessage verdict={connectionTest.data} error={connectionTest.error} />
      <KeyDialog opened={giving} onClose={dialog.close} upstream={upstream} />
    </>
  );
}

/** Whether the service refused the key in use: a stored key may be invalid. */
function useRefusedAt(active: boolean): number | null {
  const { data } = useQuery(useCalls().status.get.queryOptions());
  return active ? (data?.keyRefusedAt ?? null) : null;
}

function ReadAgain({ upstream: { id } }: { readonly upstream: UpstreamWithKey }) {
  const read = useMutation(
    useCalls().upstreams.readKey.mutationOptions({
      onSuccess: ({ sentence }) => toastSuccess(sentence),
      onError: (error) => toastError('Could not read the key.', error),
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
        toastSuccess(sentence);
      },
      onError: (error) => toastError('Could not remove the key.', error),
      onSettled: question.close,
    }),
  );
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={question.open}>
        Forget…
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={question.close}
        title={`Forget the service key of ${name}?`}
        action="Forget the key"
        busy={forget.isPending}
        onConfirm={() => forget.mutate({ id })}
      >
        Until you enter another one, requests to {name} fail. The key stays valid at the service;
        revoke it there if it should no longer be used.
      </ConfirmDialog>
    </>
  );
}
