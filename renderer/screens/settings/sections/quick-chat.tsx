import { Box, Button } from '@mantine/core';
import type { DesktopState } from '../../../../shared/desktop/desktop-contract.ts';
import { useDesktopCalls } from '../../../api/use-desktop.ts';
import { CopyField } from '../../../components/copy-field.tsx';
import { toastError } from '../../../hooks/toast.ts';
import { Row } from '../setting-row.tsx';
import { ShortcutInput } from './shortcut-input.tsx';

/** The settings of the quick chat: its shortcut, and a button that opens it where there is no tray. */
export function QuickChatSection({ shortcut, sentence, command }: DesktopState['quickChat']) {
  const calls = useDesktopCalls();
  const show = (): void =>
    void calls.quick
      .show()
      .catch((error: unknown) => toastError('Could not open the quick chat.', error));
  return (
    <Row
      label="Quick chat"
      about="A small window for quick questions. Open it here, from the tray where there is one, or with a shortcut in any program; press the shortcut again to hide it."
      pinned={sentence === null ? undefined : <Known sentence={sentence} command={command} />}
    >
      <ShortcutInput
        name="Quick chat shortcut"
        shortcut={shortcut}
        onChoose={(chosen) => calls.setQuickShortcut({ shortcut: chosen })}
      >
        <Button variant="default" size="compact-sm" ml={4} onClick={show}>
          Open
        </Button>
      </ShortcutInput>
    </Row>
  );
}

type KnownProps = Pick<DesktopState['quickChat'], 'command'> & { readonly sentence: string };

/** Shows the state of the shortcut, and below it the command that the text mentions. */
function Known({ sentence, command }: KnownProps) {
  return (
    <>
      {sentence}
      {command !== null && (
        <Box mt={4}>
          <CopyField value={command} what="the command" />
        </Box>
      )}
    </>
  );
}
