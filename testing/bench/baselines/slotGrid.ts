/** A slot of the grid: day 0 to 6, minutes of the day, a name. */
export interface GridSlot {
  readonly day: number;
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

const escapeHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Creates the simplest page with draggable slots of a week: bare boxes, moved by `left` and `top` at every event. */
export function createSlotGrid(slots: readonly GridSlot[]): string {
  const boxes = slots.map(
    ({ day, start, end, name }) =>
      `<div class="slot" style="left:${day * 120}px;top:${start}px;height:${end - start}px">${escapeHtml(name)}</div>`,
  );
  return `<!doctype html><title>week</title>
<style>body{position:relative;height:1440px;margin:0}.slot{position:absolute;width:110px;border:1px solid;background:#fff;overflow:hidden}</style>
${boxes.join('')}
<script>
for (const box of document.querySelectorAll('.slot'))
  box.onpointerdown = (down) => {
    const [x, y] = [box.offsetLeft - down.clientX, box.offsetTop - down.clientY];
    onpointermove = (to) => { box.style.left = to.clientX + x + 'px'; box.style.top = Math.round((to.clientY + y) / 5) * 5 + 'px'; };
    onpointerup = () => { onpointermove = null; };
  };
</script>`;
}
