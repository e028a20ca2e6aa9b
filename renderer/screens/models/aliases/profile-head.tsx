import { ActionIcon, Button, Group, Select, Title, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Profile } from '../../../../shared/model-alias.ts';
import { UpstreamId } from '../../../../shared/upstream.ts';
import { useCalls } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { toastError } from '../../../hooks/toast.ts';
import { useProfile } from '../../../api/use-profile.ts';

interface ProfileHeadProps {
  readonly profile: Profile;
  readonly onAdd: () => void;
}

/** The name of a profile with what uses it, the service that it switches to, and its removal. */
export function ProfileHead({ profile, onAdd }: ProfileHeadProps) {
  const { name, used } = profile;
  const { use, isPending } = useProfile();
  const label = used ? 'In use' : 'Use';
  return (
    <Group justify="space-between" mb={4} gap="xs">
      <Group gap="xs">
        <Title order={3}>{name}</Title>
        <Button
          size="compact-xs"
          variant={used ? 'filled' : 'default'}
          aria-pressed={used}
          aria-label={`${label}: profile ${name}`}
          loading={isPending}
          onClick={() => use(used ? null : name)}
        >
          {label}
        </Button>
      </Group>
      <Group gap={4} wrap="nowrap">
        <ServiceSelect profile={profile} />
        <Tooltip label="Add an alias to it">
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={`Add an alias to the profile ${name}`}
            onClick={onAdd}
          >
            <IconPlus size={15} />
          </ActionIcon>
        </Tooltip>
        <RemoveProfile name={name} />
      </Group>
    </Group>
  );
}

const STAYS = '';

function ServiceSelect({ profile: { name, upstreamId } }: Pick<ProfileHeadProps, 'profile'>) {
  const calls = useCalls();
  const { data = [] } = useQuery(calls.upstreams.list.queryOptions());
  const save = useMutation(
    calls.aliases.profiles.save.mutationOptions({
      onError: (error) => toastError(`Could not change the profile ${name}.`, error),
    }),
  );
  const isKnown = upstreamId === null || data.some(({ id }) => id === upstreamId);
  return (
    <Select
      aria-label={`Service of the profile ${name}`}
      size="xs"
      w={170}
      allowDeselect={false}
      value={upstreamId ?? STAYS}
      disabled={save.isPending}
      data={[
        { value: STAYS, label: 'Keeps the service' },
        ...data.map((upstream) => ({ value: upstream.id, label: `Uses ${upstream.name}` })),
        ...(isKnown ? [] : [{ value: upstreamId, label: 'A service that was removed' }]),
      ]}
      onChange={(id) =>
        save.mutate({
          name,
          upstreamId: id === null || id === STAYS ? null : UpstreamId.parse(id),
        })
      }
    />
  );
}

function RemoveProfile({ name }: { readonly name: string }) {
  const [isAsking, { open, close }] = useDisclosure(false);
  const remove = useMutation(
    useCalls().aliases.profiles.remove.mutationOptions({
      onError: (error) => toastError(`Could not remove the profile ${name}.`, error),
      onSettled: close,
    }),
  );
  return (
    <>
      <Tooltip label="Remove the profile">
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={`Remove the profile ${name}`}
          onClick={open}
        >
          <IconTrash size={15} />
        </ActionIcon>
      </Tooltip>
      <ConfirmDialog
        opened={isAsking}
        onClose={close}
        title={`Remove the profile ${name}?`}
        action="Remove the profile"
        busy={remove.isPending}
        onConfirm={() => remove.mutate({ name })}
      >
        Its aliases are removed, too. This cannot be undone.
      </ConfirmDialog>
    </>
  );
}
