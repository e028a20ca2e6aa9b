import { ActionIcon, FileButton, Group, Text, Tooltip } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import '@mantine/dropzone/styles.css';
import { useWindowEvent } from '@mantine/hooks';
import { IconFilePlus, IconPaperclip } from '@tabler/icons-react';
import { useRef } from 'react';
import { isDialogOpen } from '../../hooks/keyboard/open-dialog.ts';

interface AttachButtonProps {
  /** Warning about images; `null` when they may be sent. */
  readonly about: string | null;
  readonly onAdd: (files: readonly File[]) => void;
}

/** Accepts images and text files: from the file dialog, dropped anywhere, or pasted. */
export function AttachButton({ about, onAdd }: AttachButtonProps) {
  const reset = useRef<() => void>(null);
  usePaste(onAdd);
  const add = (files: readonly File[]): void => {
    onAdd(files);
    // Reset, so that the same file can be picked again.
    reset.current?.();
  };
  return (
    <>
      <FileButton multiple onChange={add} resetRef={reset}>
        {(open) => (
          <Tooltip label={['Attach images or text files', about].filter(Boolean).join('. ')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label="Attach images or text files"
              {...open}
            >
              <IconPaperclip size={18} stroke={1.7} />
            </ActionIcon>
          </Tooltip>
        )}
      </FileButton>
      <Dropzone.FullScreen
        onDrop={onAdd}
        active
        withinPortal={false}
        inputProps={{ 'aria-label': 'Dropped files' }}
      >
        <Group justify="center" gap="xs" h="40vh" aria-hidden>
          <IconFilePlus size={28} stroke={1.4} aria-hidden />
          <Text size="lg">Drop images or text files here</Text>
        </Group>
      </Dropzone.FullScreen>
    </>
  );
}

/** Takes files that are pasted anywhere but into another input. */
function usePaste(onAdd: (files: readonly File[]) => void): void {
  useWindowEvent('paste', (event) => {
    const { target, clipboardData } = event;
    const files = [...(clipboardData?.files ?? [])];
    if (files.length === 0 || isDialogOpen() || isElsewhere(target)) return;
    // Text copied from an office program comes with a picture of itself.
    const types = clipboardData?.types ?? [];
    if (types.includes('text/plain') && types.includes('text/html')) return;
    event.preventDefault();
    onAdd(files);
  });
}

function isElsewhere(target: EventTarget | null): boolean {
  const input = target instanceof Element ? target.closest('input, textarea') : null;
  return input !== null && !input.hasAttribute('data-composer');
}
