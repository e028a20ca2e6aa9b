import classes from './detail.module.css';

/** A text of the service as it came, and no more than text. It scrolls, so the keyboard gets there. */
export function RawText({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <pre className={classes['raw']} role="group" tabIndex={0} aria-label={label}>
      {text === '' ? '(empty)' : text}
    </pre>
  );
}
