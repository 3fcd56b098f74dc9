import { linkTo } from '../place.ts';

/** A BR Code as the payer gets it, and the way to the payer's phone. */
export function CodeOfPayer({ code, image }: { code: string; image: string }) {
  if (code === '') return null;
  return (
    <section aria-label="BR Code" class="code">
      <h2>BR Code</h2>
      <img src={`data:image/png;base64,${image}`} alt="QR code of the text beside it" width="132" height="132" />
      <div>
        <code class="whole">{code}</code>
        <p>
          <a href={linkTo(['phone'], { code })}>Take it to the payer’s phone</a>
        </p>
      </div>
    </section>
  );
}
