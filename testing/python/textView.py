"""A GTK window with a text area. Its text is written to the file named by the first argument, on each change."""

import os
import sys

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk  # noqa: E402

path = sys.argv[1]


def save(buffer):
    start, end = buffer.get_bounds()
    with open(path + ".part", "w", newline="") as file:
        file.write(buffer.get_text(start, end, True))
    os.rename(path + ".part", path)


def activate(app):
    view = Gtk.TextView()
    view.get_buffer().connect("changed", save)
    window = Gtk.ApplicationWindow(application=app, title="text view", child=view)
    window.set_default_size(600, 400)
    window.present()
    view.grab_focus()
    if os.environ.get("GDK_BACKEND") == "x11":
        # The window manager may not focus it by itself.
        save(view.get_buffer())
        return

    def handle_active(*_arguments):
        # Afterwards the desktop knows the text area.
        GLib.idle_add(save, view.get_buffer())

    window.connect("notify::is-active", handle_active)


app = Gtk.Application(application_id="org.pegboard.TextView")
app.connect("activate", activate)
app.run([])
