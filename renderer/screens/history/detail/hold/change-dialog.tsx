import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { TextProtocol } from '../../../../../shared/chat/chat.ts';
import type { HeldRequest, HeldSend } from '../../../../../shared/exchange/hold.ts';
import { isObject, toText, tryParse } from '../../../../../shared/parse-bodies/json.ts';
import { useCalls } from '../../../../api/client.ts';
import { ModelPicker } from '../../../../chat/model-picker/model-picker.tsx';
import { ErrorState } from '../../../../components/states/error-state.tsx';
import { useRestoreFocus } from '../../../../hooks/keyboard/open-dialog.ts';
import { formatRemaining } from '../../../../hooks/clients/use-holds.ts';
import { toastError } from '../../../../hooks/toast.ts';
import { useNow } from '../../../../hooks/use-now.ts';
import { RequestFields } from '../replay/request-fields.tsx';
import { parseTexts, type RequestTexts, toTexts } from '../replay/request-texts.ts';

export interface ChangeDialogProps {
  readonly request: HeldRequest;
  readonly protocol: TextProtocol;
  readonly isSending: boolean;
  readonly onSend: (changes: Pick<HeldSend, 'changed' | 'removed'>) => void;
  readonly onClose: () => void;
}

/** The longest wait, because changing a request takes time. */
const WAIT_SECONDS = 600;

/** Changes a request that waits, and sends it. A click outside does not close it, because edits would be lost. */
export function ChangeDialog(props: ChangeDialogProps) {
  useRestoreFocus();
  const { id } = props.request;
  const { mutate: extend } = useMutation(
    useCalls().clients.hold.extend.mutationOptions({
      onError: (problem) => toastError('The request does not wait longer.', problem),
    }),
  );
  useEffect(() => extend({ id, seconds: WAIT_SECONDS }), [extend, id]);
  // It has secrets, so it is not kept when the dialog is closed. It never changes.
  const { data, error, refetch } = useQuery(
    useCalls().clients.hold.read.queryOptions({ input: { id }, gcTime: 0, staleTime: 'static' }),
  );
  const fields = useMemo(() => tryParse(data?.text ?? ''), [data]);
  return (
    <Modal
      opened
      onClose={props.onClose}
      title="Change the request"
      size="min(1280px, 95vw)"
      closeOnClickOutside={false}
    >
      {error !== null ? (
        <ErrorState
          title="Could not load this request."
          error={error}
          onRetry={() => void refetch()}
        />
      ) : data === undefined ? (
        <Skeleton h={320} />
      ) : data.text === null || !isObject(fields) ? (
        <Text size="sm">This request cannot be changed. {data.reason}</Text>
      ) : (
        <ChangeForm {...props} fields={fields} />
      )}
    </Modal>
  );
}

interface ChangeFormProps extends ChangeDialogProps {
  readonly fields: Parameters<typeof toTexts>[0]['fields'];
}

function ChangeForm({ request: held, protocol, fields, ...props }: ChangeFormProps) {
  const { isSending, onSend, onClose } = props;
  const now = useNow();
  const request = useMemo(() => ({ protocol, fields }), [protocol, fields]);
  const [model, setModel] = useState(() => toText(fields['model']));
  const [texts, setTexts] = useState<RequestTexts>(() => toTexts(request));
  const { changes, errors } = useMemo(() => parseTexts(request, texts), [request, texts]);
  const isOtherModel = model !== toText(fields['model']);
  return (
    <Stack gap="md">
      <Text size="sm">
        This is the request as the client sent it, with everything in it; secrets are masked only in
        what is kept. It goes on unchanged in <span data-figures>{formatRemaining(held, now)}</span>
        .
      </Text>
      <Group gap="xs">
        <ModelPicker value={model} label="Model" onPick={setModel} />
      </Group>
      <RequestFields texts={texts} errors={errors} onChange={setTexts} />
      <Group gap="xs">
        <Button
          disabled={changes === null}
          loading={isSending}
          onClick={() => {
            if (changes === null) return;
            const { changed, removed } = changes;
            onSend({ removed, changed: isOtherModel ? { ...changed, model } : changed });
          }}
        >
          Send it like this
        </Button>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}
