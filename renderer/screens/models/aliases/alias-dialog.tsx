import { Autocomplete, Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { ClientId } from '../../../../shared/client.ts';
import { type ModelAlias, NewModelAlias } from '../../../../shared/model-alias.ts';
import { useCalls } from '../../../api/client.ts';
import { errorField, toMessage } from '../../../format/errors.ts';

export interface AliasDialogProps {
  /** The alias whose model or effort is changed; absent for a new one. */
  readonly before?: ModelAlias;
  /** The profile of a new one; `null`: it always holds. */
  readonly profile: string | null;
  /** Names of the profiles. */
  readonly profiles: readonly string[];
  readonly onClose: () => void;
}

/** The fields as they were typed; an empty text stands for none. */
interface Fields {
  readonly name: string;
  readonly model: string;
  readonly effort: string;
  readonly clientId: string;
  readonly profile: string;
}

/** Sets an alias. One of the same name, client and profile is replaced. */
export function AliasDialog({ before, profile, profiles, onClose }: AliasDialogProps) {
  const [fields, setFields] = useState(() => toFields(before, profile));
  const [refusal, setRefusal] = useState<{ field: string | null; message: string } | null>(null);
  const save = useMutation(
    useCalls().aliases.set.mutationOptions({
      onSuccess: onClose,
      onError: (error) => setRefusal({ field: errorField(error), message: toMessage(error) }),
    }),
  );
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    const read = NewModelAlias.safeParse(toAlias(fields));
    const [issue] = read.error?.issues ?? [];
    setRefusal(
      issue === undefined ? null : { field: String(issue.path[0]), message: issue.message },
    );
    if (read.success) save.mutate(read.data);
  };
  const isKnownField = refusal?.field != null && refusal.field in fields;
  return (
    <Modal
      opened
      onClose={onClose}
      title={before === undefined ? 'Add an alias' : `Alias ${before.name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <AliasFields
            fields={fields}
            isPlaceFixed={before !== undefined}
            profiles={profiles}
            errorOf={(field) => (refusal?.field === field ? refusal.message : undefined)}
            onChange={(some) => setFields({ ...fields, ...some })}
          />
          {refusal !== null && !isKnownField && (
            <Text size="sm" c="red.8" role="alert">
              {refusal.message}
            </Text>
          )}
          <Text size="xs" c="dimmed">
            It holds from the next request on, and is recorded with each request.
          </Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function toFields(before: ModelAlias | undefined, profile: string | null): Fields {
  return {
    name: before?.name ?? '',
    model: before?.model ?? '',
    effort: before?.effort ?? '',
    clientId: before?.clientId ?? '',
    profile: profile ?? '',
  };
}

function toAlias({ name, model, effort, clientId, profile }: Fields): NewModelAlias {
  return {
    name,
    model,
    effort: effort.trim() === '' ? null : effort,
    clientId: clientId === '' ? null : ClientId.parse(clientId),
    profile: profile.trim() === '' ? null : profile,
  };
}

interface AliasFieldsProps {
  readonly fields: Fields;
  /** Whether name, client and profile stay as they are. */
  readonly isPlaceFixed: boolean;
  readonly profiles: readonly string[];
  readonly errorOf: (field: keyof Fields) => string | undefined;
  readonly onChange: (some: Partial<Fields>) => void;
}

function AliasFields(props: AliasFieldsProps) {
  const { fields, isPlaceFixed, errorOf, onChange } = props;
  const { data: list } = useQuery(useCalls().models.list.queryOptions());
  const models = [...new Set(list?.models.map(({ model }) => model.id))];
  return (
    <>
      <TextInput
        label="Name"
        description="The model that clients ask for; * stands for any characters, alone for every name that the service does not list."
        data-autofocus={!isPlaceFixed || undefined}
        autoComplete="off"
        spellCheck={false}
        disabled={isPlaceFixed}
        value={fields.name}
        error={errorOf('name')}
        onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
      />
      <Autocomplete
        label="Model"
        description="The model that the service gets."
        data-autofocus={isPlaceFixed || undefined}
        spellCheck={false}
        limit={50}
        data={models}
        value={fields.model}
        error={errorOf('model')}
        onChange={(model) => onChange({ model })}
      />
      <Autocomplete
        label="Reasoning effort"
        description="Sent on Chat Completions and Responses. Empty: as the client says."
        data={['minimal', 'low', 'medium', 'high']}
        value={fields.effort}
        error={errorOf('effort')}
        onChange={(effort) => onChange({ effort })}
      />
      <PlaceFields {...props} />
    </>
  );
}

/** The fields that say for whom and when an alias holds. */
function PlaceFields({ fields, isPlaceFixed, profiles, errorOf, onChange }: AliasFieldsProps) {
  const { data: clients = [] } = useQuery(useCalls().clients.list.queryOptions());
  const offered = clients.filter(
    ({ id, kind, revokedAt }) =>
      id === fields.clientId || (revokedAt === null && kind !== 'unknown' && kind !== 'videos'),
  );
  return (
    <Group grow align="flex-start">
      <Select
        label="Client"
        allowDeselect={false}
        searchable
        disabled={isPlaceFixed}
        value={fields.clientId}
        data={[
          { value: '', label: 'Every client' },
          ...offered.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={(clientId) => onChange({ clientId: clientId ?? '' })}
      />
      <Autocomplete
        label="Profile"
        placeholder="Always"
        disabled={isPlaceFixed}
        data={[...profiles]}
        value={fields.profile}
        error={errorOf('profile')}
        onChange={(profile) => onChange({ profile })}
      />
    </Group>
  );
}
