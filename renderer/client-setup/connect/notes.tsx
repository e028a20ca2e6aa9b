import { COMMAND_INTRO } from '../../../shared/connect/connection.ts';
import { CopyField } from '../../components/copy-field.tsx';
import classes from './connect.module.css';

interface NotesProps {
  readonly label: string;
  readonly notes: readonly string[];
}

/** Lists the sentences that the person should know about a change, with their commands to copy; renders nothing without any. */
export function Notes({ label, notes }: NotesProps) {
  if (notes.length === 0) return null;
  return (
    <ul className={classes['notes']} aria-label={label}>
      {notes.map((note) => (
        <Note key={note} note={note} />
      ))}
    </ul>
  );
}

function Note({ note }: { readonly note: string }) {
  const [sentence, command] = note.split(COMMAND_INTRO);
  if (command === undefined) return <li>{note}</li>;
  return (
    <li>
      {sentence}
      <CopyField label={COMMAND_INTRO.trim()} value={command} what="the command" />
    </li>
  );
}
