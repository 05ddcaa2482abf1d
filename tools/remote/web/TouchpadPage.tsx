/** The phone as touchpad and keyboard, full screen. */
export default function TouchpadPage() {
  return (
    <main>
      <h1>Touchpad</h1>
    </main>
  );
}
