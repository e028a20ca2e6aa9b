import type { ReactNode } from 'react';
import classes from './dialog-footer.module.css';

/** Keeps the buttons of a long dialog at its bottom edge while the rest scrolls. */
export function DialogFooter({ children }: { readonly children: ReactNode }) {
  return <div className={classes['footer']}>{children}</div>;
}
