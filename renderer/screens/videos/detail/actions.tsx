import { isFree, NO_CHARGE } from '../../../../shared/money/charge.ts';
import { Button, Checkbox, Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconClockPlus,
  IconCopyPlus,
  IconDownload,
  IconHash,
  IconPencil,
  IconPlayerPlay,
  IconPlayerStop,
  IconTrash,
} from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { VideoJob, VideoState } from '../../../../shared/video/video.ts';
import { useCalls } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { toastError } from '../../../hooks/toast.ts';
import { OrderSummary } from '../order-summary.tsx';
import { useVideoAction } from '../use-video-action.ts';
import { IdDialog } from './id-dialog.tsx';

const MORE_MINUTES = 30;
const ICON = { size: 15 };

interface ActionsProps {
  readonly job: VideoJob;
  /** Called when the job was removed from the list. */
  readonly onGone: () => void;
}

/** Shows the actions that a job's state allows. Only confirming a draft orders anything. */
export function Actions({ job, onGone }: ActionsProps) {
  const { state, id } = job;
  return (
    <Group gap="xs">
      {state === 'draft' && <ConfirmDraft job={job} />}
      {state === 'draft' && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPencil {...ICON} />}
          renderRoot={(props: object) => (
            <Link to="/videos/new" search={{ draft: id }} {...props} />
          )}
        >
          Edit
        </Button>
      )}
      {canResume(job) && <ExtendDeadline job={job} />}
      {state === 'done' && job.file === null && <Fetch job={job}>Download a copy here</Fetch>}
      {state === 'downloading' && job.problem !== null && <Fetch job={job}>Try now</Fetch>}
      {canGiveId(job) && <GiveId job={job} />}
      {STOPPABLE.has(state) && <Stop job={job} />}
      {state !== 'draft' && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconCopyPlus {...ICON} />}
          renderRoot={(props: object) => <Link to="/videos/new" search={{ from: id }} {...props} />}
        >
          Duplicate and edit…
        </Button>
      )}
      {REMOVABLE.has(state) && <Remove job={job} onGone={onGone} />}
    </Group>
  );
}

const STOPPABLE: ReadonlySet<VideoState> = new Set([
  'waiting',
  'uploading',
  'identifying',
  'needs-answer',
  'rendering',
  'downloading',
]);
const ID_STATES: ReadonlySet<VideoState> = new Set([
  'identifying',
  'rendering',
  'timed-out',
  'cancelled',
]);
const REMOVABLE: ReadonlySet<VideoState> = new Set([
  'draft',
  'waiting',
  'done',
  'failed',
  'timed-out',
  'cancelled',
]);

/**
 * Whether the task id can be set by hand: it is unknown or may be wrong. `unsure` and `needs-answer` ask for it
 * themselves.
 */
function canGiveId({ state, taskId, submittedAt, problem }: VideoJob): boolean {
  const isDoubtful = taskId === null || problem !== null;
  return ID_STATES.has(state) && submittedAt !== null && isDoubtful;
}

function canResume({ state, taskId }: VideoJob): boolean {
  if (state === 'timed-out') return taskId !== null;
  return state === 'rendering' || (state === 'cancelled' && taskId !== null);
}

function ConfirmDraft({ job }: { readonly job: VideoJob }) {
  const { act, doing } = useVideoAction(job.id);
  const [asking, question] = useDisclosure(false);
  return (
    <>
      <Button size="xs" leftSection={<IconPlayerPlay {...ICON} />} onClick={question.open}>
        Order this video…
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={question.close}
        title="Order this video?"
        action="Order it"
        harmless
        busy={doing === 'confirm'}
        onConfirm={() => act({ type: 'confirm' }, question.close)}
      >
        {isFree(job.service.id)
          ? `The sandbox makes up a video: ${NO_CHARGE}.`
          : `One order is one charge by ${job.service.name}.`}
        <OrderSummary request={job.request} service={job.service.id} />
      </ConfirmDialog>
    </>
  );
}

function ExtendDeadline({ job }: { readonly job: VideoJob }) {
  const { act, doing } = useVideoAction(job.id);
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconClockPlus {...ICON} />}
      loading={doing === 'extend'}
      onClick={() => act({ type: 'extend', minutes: MORE_MINUTES })}
    >
      Keep checking for {MORE_MINUTES} more minutes (free)
    </Button>
  );
}

interface FetchProps {
  readonly job: VideoJob;
  readonly children: string;
}

/** A button that fetches a file: of a client's own video that was only observed, or of one retried later. */
function Fetch({ job, children }: FetchProps) {
  const { act, doing } = useVideoAction(job.id);
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconDownload {...ICON} />}
      loading={doing === 'fetch-again'}
      onClick={() => act({ type: 'fetch-again' })}
    >
      {children}
    </Button>
  );
}

function GiveId({ job }: { readonly job: VideoJob }) {
  const [naming, dialog] = useDisclosure(false);
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconHash {...ICON} />}
        onClick={dialog.open}
      >
        {job.taskId === null ? 'Enter its id…' : 'Enter another id…'}
      </Button>
      <IdDialog opened={naming} onClose={dialog.close} job={job} />
    </>
  );
}

function Stop({ job }: { readonly job: VideoJob }) {
  const { act, doing } = useVideoAction(job.id);
  const [asking, question] = useDisclosure(false);
  const isCurrent = job.charged !== 'no';
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlayerStop {...ICON} />}
        onClick={question.open}
      >
        {isCurrent ? 'Stop checking…' : 'Cancel…'}
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={question.close}
        title={isCurrent ? 'Stop checking this video?' : 'Cancel this video?'}
        action={isCurrent ? 'Stop checking' : 'Cancel the video'}
        cancel="Keep it"
        busy={doing === 'cancel'}
        onConfirm={() => act({ type: 'cancel' }, question.close)}
      >
        {isCurrent
          ? `The service still finishes the video${isFree(job.service.id) ? '' : ', and the charge is not refunded'}. Gatehouse only stops checking; you can resume later.`
          : 'Nothing has been ordered.'}
      </ConfirmDialog>
    </>
  );
}

function Remove({ job, onGone }: ActionsProps) {
  const [asking, question] = useDisclosure(false);
  const [deleteFile, setDeleteFile] = useState(false);
  const remove = useMutation(
    useCalls().videos.remove.mutationOptions({
      onSuccess: onGone,
      onError: (error) => toastError('Could not remove the video.', error),
      onSettled: question.close,
    }),
  );
  const hasFile = job.file?.present === true;
  return (
    <>
      <Button
        size="xs"
        variant="light"
        color="red"
        leftSection={<IconTrash {...ICON} />}
        onClick={question.open}
      >
        Remove…
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={question.close}
        title="Remove it from the list?"
        action={deleteFile && hasFile ? 'Remove it and its file' : 'Remove it'}
        busy={remove.isPending}
        onConfirm={() => remove.mutate({ id: job.id, deleteFile: deleteFile && hasFile })}
      >
        <Stack gap="sm">
          <span>
            This deletes everything that is stored about it, including its id at the service and the
            raw answers. This cannot be undone.
          </span>
          {hasFile && (
            <Checkbox
              label="Also delete the video file"
              description={job.file?.path}
              checked={deleteFile}
              onChange={(event) => setDeleteFile(event.currentTarget.checked)}
            />
          )}
        </Stack>
      </ConfirmDialog>
    </>
  );
}
