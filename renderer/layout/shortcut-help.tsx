import { Kbd, Modal, Table } from '@mantine/core';
import { MOD_KEY } from '../hooks/keyboard/mod-key.ts';

const KEYS: readonly (readonly [readonly string[], string])[] = [
  [[MOD_KEY, 'K'], 'Go to a screen, a model, a setting'],
  [['g', 'h'], 'Home'],
  [['g', 'c'], 'Chat (m Models, r History, u Usage, p Prices, v Videos, k Clients, s Settings)'],
  [['/'], 'Filter this list'],
  [['j'], 'Next in a list or a conversation'],
  [['k'], 'Previous in a list or a conversation'],
  [['Enter'], 'Open selected item'],
  [['Esc'], 'Close a panel or dialog; stop an answer; leave an input'],
  [['n'], 'Chat: new conversation'],
  [[MOD_KEY, 'N'], 'The same, in the app'],
  [['↑'], 'Chat: edit your last message (empty input)'],
  [['Alt', '↑'], 'Move a waiting video up (down with ↓)'],
  [['?'], 'Show this list'],
];

/** Lists the keyboard shortcuts of the window. */
export function KeyHelp({
  opened,
  onClose,
}: {
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard" size="sm">
      <Table>
        <Table.Tbody>
          {KEYS.map(([keys, does]) => (
            <Table.Tr key={does}>
              <Table.Td>{does}</Table.Td>
              <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
                {keys.map((key) => (
                  <Kbd key={key} ml={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
