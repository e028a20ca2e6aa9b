import { ActionIcon, CopyButton as Copier, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

interface CopyButtonProps {
  readonly value: string;
  /** The thing that is copied, for the accessible label: "the base address". */
  readonly what: string;
}

/** Copies a text and confirms it. */
export function CopyButton({ value, what }: CopyButtonProps) {
  return (
    <Copier value={value} timeout={1500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
          <ActionIcon
            variant="subtle"
            color={copied ? 'teal' : 'gray'}
            size="sm"
            onClick={(event) => {
              event.stopPropagation();
              copy();
            }}
            aria-label={copied ? 'Copied' : `Copy ${what}`}
          >
            {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
          </ActionIcon>
        </Tooltip>
      )}
    </Copier>
  );
}
