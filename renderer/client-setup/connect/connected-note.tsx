import { Alert, Stack, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { CopyField } from '../../components/copy-field.tsx';
import { NEW_LIMIT } from '../../components/limit-dialog/limit-actions.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import classes from './connect.module.css';
import { Notes } from './notes.tsx';

interface ConnectedNoteProps {
  /** Name of the program. */
  readonly name: string;
  readonly client: { readonly id: string; readonly name: string };
  /** The paths of the files that were written. */
  readonly files: readonly string[];
  /** Known only right after the change. */
  readonly notes?: readonly string[];
  /** The local key that must be entered in the program; shown only once. */
  readonly keyToEnter?: string | null;
  /** Called when the link to the client is followed. */
  readonly onLeave?: () => void;
}

/** Says that a program is connected, which files were written, and how it is undone. */
export function ConnectedNote(props: ConnectedNoteProps) {
  const { name, client, files, notes = [], keyToEnter = null, onLeave } = props;
  return (
    <Alert
      color="teal"
      icon={<IconCircleCheck />}
      title={`${name} is connected as “${client.name}”`}
    >
      <Stack gap="xs">
        <ul className={classes['files']} aria-label="Written files">
          {files.map((path) => (
            <li key={path} className={classes['file']}>
              <code>{path}</code>
            </li>
          ))}
        </ul>
        <Notes label="Afterwards" notes={notes} />
        {keyToEnter !== null && (
          <div>
            <CopyField
              value={keyToEnter}
              what="the local key"
              label={`The local key to enter in ${name}`}
            />
            <Text size="xs" mt={4}>
              Shown only once: Gatehouse stores only a fingerprint of it.
            </Text>
          </div>
        )}
        <Text size="sm">
          <ScreenLink
            to="/clients"
            search={{ client: client.id, limit: NEW_LIMIT }}
            onClick={onLeave}
            size="sm"
            underline="always"
          >
            Set a limit
          </ScreenLink>{' '}
          of what it may spend.
        </Text>
        <Text size="sm">
          You can undo this at any time on{' '}
          <ScreenLink
            to="/clients"
            search={{ client: client.id }}
            onClick={onLeave}
            size="sm"
            underline="always"
          >
            the page of the client
          </ScreenLink>
          .
        </Text>
      </Stack>
    </Alert>
  );
}
