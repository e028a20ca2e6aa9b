import { Anchor } from '@mantine/core';
import { useState } from 'react';
import { pluralize } from '../../../../shared/format.ts';
import classes from './user-message.module.css';

/** Maximum length that is shown: a person who pastes a whole file wants to read the answer, not the file. */
const MAX_SHOWN = 4_000;
const BEGINNING = 2_000;

/** Shows a message of a person verbatim; only its beginning when it is very long. */
export function UserText({ text }: { readonly text: string }) {
  const [whole, setWhole] = useState(false);
  const isLong = text.length > MAX_SHOWN;
  return (
    <div className={classes['text']}>
      {isLong && !whole ? `${text.slice(0, BEGINNING)}…` : text}
      {isLong && (
        <div>
          <Anchor component="button" type="button" size="sm" onClick={() => setWhole(!whole)}>
            {whole ? 'Show its beginning' : `Show all ${pluralize(text.length, 'character')}`}
          </Anchor>
        </div>
      )}
    </div>
  );
}
