let region: HTMLElement | undefined;

/** Has a change read out that is seen without words, such as a song that stands elsewhere. */
export const announce = (text: string): void => {
  if (!region) {
    region = document.createElement('div');
    region.className = 'unseen';
    region.setAttribute('role', 'status');
    document.body.append(region);
  }
  region.textContent = text;
};
