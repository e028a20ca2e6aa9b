import classes from './connect.module.css';

interface NotesProps {
  readonly label: string;
  readonly notes: readonly string[];
}

/** Lists the sentences that the person should know about a change; renders nothing without any. */
export function Notes({ label, notes }: NotesProps) {
  if (notes.length === 0) return null;
  return (
    <ul className={classes['notes']} aria-label={label}>
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}
