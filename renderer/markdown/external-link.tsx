import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { useExternalLink } from '../api/use-external-link.ts';
import { toSafeUrl, isMisleadingLink } from './safe-url.ts';
import classes from './markdown.module.css';

interface ExternalLinkProps {
  readonly address: string;
  /** The link's label as plain text. */
  readonly words: string;
  readonly children: ReactNode;
}

/** A link out of an answer: its target is shown before it is opened, and no referrer is sent. */
export function ExternalLink({ address, words, children }: ExternalLinkProps) {
  const open = useExternalLink();
  const safe = toSafeUrl(address);
  if (safe === null) return <span>{children}</span>;
  return (
    <>
      <Tooltip label={safe} classNames={{ tooltip: classes['address'] ?? '' }}>
        <a
          href={safe}
          target="_blank"
          rel="noopener noreferrer"
          onClick={(event) => {
            if (open === null) return;
            event.preventDefault();
            open(safe);
          }}
        >
          {children}
        </a>
      </Tooltip>
      {isMisleadingLink(words, safe) && (
        <span className={classes['target'] ?? ''}> (leads to {safe})</span>
      )}
    </>
  );
}
