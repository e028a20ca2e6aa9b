import { SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { Panel } from '../../parts/panel.tsx';
import { Row } from './row.tsx';

const SCHEMES = [
  { value: 'auto', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

/** Light or dark; kept by this browser. */
export function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Panel title="Appearance">
      <Row label="Colours" about="Holds for this browser.">
        <SegmentedControl
          fullWidth
          size="sm"
          aria-label="Colours"
          data={[...SCHEMES]}
          value={colorScheme}
          onChange={setColorScheme}
        />
      </Row>
    </Panel>
  );
}
