import { Badge, Button, CopyButton as Copier, Group, Stack, Text } from '@mantine/core';
import {
  IconCheck,
  IconCopy,
  IconHistory,
  IconMessage,
  IconPlugConnected,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ModelSummary } from '../../../shared/model.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { DetailPane } from '../../components/detail/detail-pane.tsx';
import { pluralize, formatCount } from '../../../shared/format.ts';
import { findAbilities, findContextWindow } from '../../../shared/model-metadata/model-facts.ts';
import { makesVideos } from '../../../shared/model-metadata/model-statements.ts';
import { findTitle } from '../../../shared/model-metadata/model-title.ts';
import { FavouriteButton } from './favourite-button.tsx';
import { ModelFields } from './model-fields.tsx';
import classes from './models.module.css';
import { ModelPrice } from './model-price.tsx';
import { ModelTest } from './model-test.tsx';
import { toPattern } from '../../../shared/name-pattern.ts';
import { toHistorySearch } from '../../format/history-search.ts';

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
          <Facts model={summary.model} />
          <Use summary={summary} />
          <ModelPrice id={id} />
          <ModelTest model={id} />
          <ModelFields model={summary.model} />
        </Stack>
      )}
    </DetailPane>
  );
}

/** Shows the name and abilities of a model, and the links that begin with it. */
function Facts({ model }: { readonly model: ModelSummary['model'] }) {
  const title = findTitle(model);
  const context = findContextWindow(model);
  return (
    <div>
      {title !== null && (
        <Text size="sm" fw={500} mb={6}>
          {title}
        </Text>
      )}
      <div className={classes['badges']}>
        {context !== null && (
          <Badge variant="default" tt="none" fw={500}>
            {formatCount(context)} tokens of context
          </Badge>
        )}
        {findAbilities(model).map((ability) => (
          <Badge key={ability} variant="default" tt="none" fw={500}>
            {ability}
          </Badge>
        ))}
      </div>
      <Group gap="xs" mt={10}>
        {!makesVideos(model) && <Uses id={model.id} />}
        <FavouriteButton id={model.id} />
      </Group>
    </div>
  );
}

function Uses({ id }: { readonly id: string }) {
  return (
    <>
      <Button
        renderRoot={(props: object) => <Link to="/chat" search={{ model: id }} {...props} />}
        size="xs"
        leftSection={<IconMessage size={15} />}
      >
        Chat with it
      </Button>
      <Button
        renderRoot={(props: object) => (
          <Link to="/clients" search={{ model: id, add: true }} {...props} />
        )}
        variant="default"
        size="xs"
        leftSection={<IconPlugConnected size={15} />}
      >
        Use in a client
      </Button>
    </>
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
            Reported by the service, or estimated by Gatehouse where possible.
          </Text>
        </>
      )}
      <Group gap="xs" mt={10}>
        <CopyId id={model.id} />
        {lastUsedAt !== null && (
          <Button
            renderRoot={(props: object) => (
              <Link
                to="/history"
                search={toHistorySearch({ models: [toPattern(model.id)] })}
                {...props}
              />
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
