import classes from './detail.module.css';

/** Shows a text of the service verbatim. It scrolls, so it can be focused with the keyboard. */
export function RawText({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <pre className={classes['raw']} role="group" tabIndex={0} aria-label={label}>
      {text === '' ? '(empty)' : text}
    </pre>
  );
}
