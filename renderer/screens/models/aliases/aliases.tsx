import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ModelAlias } from '../../../../shared/model-alias.ts';
import { useCalls } from '../../../api/client.ts';
import { ErrorState } from '../../../components/states/error-state.tsx';
import { AliasDialog, type AliasDialogProps } from './alias-dialog.tsx';
import { AliasTable } from './alias-table.tsx';
import { ProfileHead } from './profile-head.tsx';

type Opened = Pick<AliasDialogProps, 'before' | 'profile'>;

/** Shows the aliases of models, by profile, and changes both. */
export function Aliases() {
  const calls = useCalls();
  const { data, error, refetch } = useQuery(calls.aliases.list.queryOptions());
  const [opened, setOpened] = useState<Opened | null>(null);
  if (data === undefined) {
    return error === null ? (
      <Skeleton h={120} />
    ) : (
      <ErrorState
        title="Could not load the aliases."
        error={error}
        onRetry={() => void refetch()}
      />
    );
  }
  const { aliases, profiles } = data;
  const change = (before: ModelAlias) => setOpened({ before, profile: before.profile });
  const always = aliases.filter(({ profile }) => profile === null);
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Text size="sm" c="dimmed">
          A client that asks for the name gets the model. Those of a profile hold while it is used,
          and come before the others.
        </Text>
        <Button
          size="compact-sm"
          style={{ flex: 'none' }}
          leftSection={<IconPlus size={14} />}
          onClick={() => setOpened({ profile: null })}
        >
          Add an alias
        </Button>
      </Group>
      {(always.length > 0 || profiles.length === 0) && (
        <AliasTable label="Aliases that always hold" aliases={always} onChange={change} />
      )}
      {profiles.map((profile) => (
        <section key={profile.name} aria-label={`Profile ${profile.name}`}>
          <ProfileHead profile={profile} onAdd={() => setOpened({ profile: profile.name })} />
          <AliasTable
            label={`Aliases of the profile ${profile.name}`}
            aliases={aliases.filter((alias) => alias.profile === profile.name)}
            onChange={change}
          />
        </section>
      ))}
      {opened !== null && (
        <AliasDialog
          {...opened}
          profiles={profiles.map(({ name }) => name)}
          onClose={() => setOpened(null)}
        />
      )}
    </Stack>
  );
}
