import { Button, CopyButton as Copier, Group, Stack, Text, Title } from '@mantine/core';
import { IconCheck, IconCopy, IconHistory } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ModelSummary } from '../../../shared/model.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { DetailPane } from '../../components/detail-pane.tsx';
import { pluralize, formatCount } from '../../../shared/format.ts';
import classes from './models.module.css';
import { ModelTest } from './model-test.tsx';

interface ModelDetailProps {
  readonly id: string;
  /** Absent when the list has no such model. */
  readonly summary: ModelSummary | undefined;
  readonly onClose: () => void;
}

/** Shows one model: its exact id, its use, a test call, and all of the service's metadata. */
export function ModelDetail({ id, summary, onClose }: ModelDetailProps) {
  return (
    <DetailPane title={id} onClose={onClose}>
      {summary === undefined ? (
        <Text size="sm">
          This model is not in the list. It may have been removed, or the service key has no access
          to it.
        </Text>
      ) : (
        <Stack gap="lg">
          <Use summary={summary} />
          <ModelTest model={id} />
          <Fields model={summary.model} />
        </Stack>
      )}
    </DetailPane>
  );
}

function Use({ summary }: { readonly summary: ModelSummary }) {
  const { model, lastUsedAt, exchanges, inputTokens, outputTokens } = summary;
  return (
    <div>
      {lastUsedAt === null ? (
        <Text size="sm" c="dimmed">
          Not used in the recorded history.
        </Text>
      ) : (
        <>
          <Text size="sm">
            Last used <RelativeTime at={lastUsedAt} />: {pluralize(exchanges, 'request')} in the
            history.
          </Text>
          <Text size="sm" data-figures>
            {formatCount(inputTokens)} tokens in, {formatCount(outputTokens)} out.
          </Text>
          <Text size="xs" c="dimmed">
            Reported by the service; estimated where it reported nothing.
          </Text>
        </>
      )}
      <Group gap="xs" mt={10}>
        <CopyId id={model.id} />
        {lastUsedAt !== null && (
          <Button
            renderRoot={(props: object) => (
              <Link to="/history" search={{ models: [model.id] }} {...props} />
            )}
            variant="default"
            size="xs"
            leftSection={<IconHistory size={15} />}
          >
            History of this model
          </Button>
        )}
      </Group>
    </div>
  );
}

function CopyId({ id }: { readonly id: string }) {
  return (
    <Copier value={id} timeout={1500}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          size="xs"
          leftSection={copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
          onClick={copy}
        >
          {copied ? 'Copied' : 'Copy the id'}
        </Button>
      )}
    </Copier>
  );
}

function Fields({ model }: { readonly model: ModelSummary['model'] }) {
  return (
    <section aria-label="Details from the service">
      <Title order={3}>Details from the service</Title>
      <Text size="xs" c="dimmed" mb={4}>
        As received, field by field.
      </Text>
      <dl className={classes['fields']}>
        {Object.entries(model).map(([name, value]) => (
          <Field key={name} name={name} value={value} />
        ))}
      </dl>
    </section>
  );
}

function Field({ name, value }: { readonly name: string; readonly value: unknown }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
    </>
  );
}
